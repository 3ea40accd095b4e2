package env

import (
	"flag"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// Log has managers in this process log to standard error, or not at all.
func Log(enabled bool) {
	logger := logr.Discard()
	if enabled {
		logger = zap.New(zap.UseDevMode(true), zap.WriteTo(os.Stderr))
	}
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
}

// Parallel is how many tests run at a time, unless a flag says so. It is for tests that wait more than they work.
func Parallel(number string) {
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set(number) // it is one
	}
}
