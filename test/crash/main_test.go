package crash_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

var logs = flag.Bool("manager-logs", false, "write what the managers log to standard error")

var cluster *env.Environment

func TestMain(m *testing.M) {
	manager.Serve()
	flag.Parse()
	if *seed == 0 {
		*seed = rand.Uint64N(1<<32) + 1
	}
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set("12") // they wait more than they work
	}
	logger := logr.Discard()
	if *logs {
		logger = zap.New(zap.UseDevMode(true), zap.WriteTo(os.Stderr))
	}
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
	os.Exit(env.Main(m, &cluster, env.WithCRDs(env.CRDs()), env.WithControllerManager()))
}
