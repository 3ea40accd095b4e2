package upgrade_test

import (
	"os"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"projection.sh/operator/test/env"
)

// cluster is shared by the tests that change the definitions of rules, which therefore run one after the other.
var cluster *env.Environment

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	os.Exit(env.Main(m, &cluster, env.WithCRDs(env.CRDs())))
}
