package scale_test

import (
	"os"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"projection.sh/operator/test/env"
)

var cluster *env.Environment

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	os.Exit(env.Main(m, &cluster, env.WithCRDs(env.CRDs())))
}
