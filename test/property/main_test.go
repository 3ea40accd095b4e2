package property_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"projection.sh/operator/test/env"
)

var (
	seed  = flag.Uint64("seed", 0, "seed of the only history; 0: as many as -histories with seeds of their own")
	steps = flag.Int("steps", 220, "steps of each history")
	count = flag.Int("histories", 3, "histories to try")
	logs  = flag.Bool("manager-logs", false, "write what the managers log to standard error")
)

var cluster *env.Environment

func TestMain(m *testing.M) {
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set("6") // they wait more than they work
	}
	logger := logr.Discard()
	if *logs {
		logger = zap.New(zap.UseDevMode(true), zap.WriteTo(os.Stderr))
	}
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
	os.Exit(env.Main(m, &cluster, env.WithCRDs(env.CRDs(), filepath.Join("testdata", "crds")), env.WithControllerManager()))
}
