package env

import (
	"fmt"
	"os"
)

// Main runs the tests of a package that shares one control plane, and returns the exit code for os.Exit:
//
//	var cluster *env.Environment
//
//	func TestMain(m *testing.M) { os.Exit(env.Main(m, &cluster, env.WithCRDs(env.CRDs()))) }
func Main(m interface{ Run() int }, shared **Environment, opts ...Option) (code int) {
	started, err := Start(opts...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "The tests need a control plane:", err)
		return 1
	}
	*shared = started
	defer func() {
		if err := started.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "The control plane did not end cleanly:", err)
			code = max(code, 1)
		}
	}()
	return m.Run()
}
