package manager

import (
	"fmt"
	"io"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
)

// serving tells a test program that it is to be a manager.
const serving = "PROJECTION_TEST_MANAGER"

// Serve makes this process a manager, and ends it, if StartProcess has started it. A TestMain calls it first. The manager
// ends with the process that started it, however that ends.
func Serve() {
	if os.Getenv(serving) == "" {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // nothing comes
		os.Exit(1)
	}()
	if err := app.Main(ctrl.SetupSignalHandler(), "test", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Main is env.Main for tests that share a manager, too, which lives as long as they do.
func Main[M interface{ Stop() error }](m interface{ Run() int }, shared **env.Environment, start func() (M, error), opts ...env.Option) int {
	return env.Main(tests[M]{m, start}, shared, opts...)
}

// tests run beside a manager.
type tests[M interface{ Stop() error }] struct {
	of    interface{ Run() int }
	start func() (M, error)
}

func (t tests[M]) Run() int {
	started, err := t.start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "The tests need a manager:", err)
		return 1
	}
	code := t.of.Run()
	if err := started.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "The manager did not end cleanly:", err)
		code = max(code, 1)
	}
	return code
}
