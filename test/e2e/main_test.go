package e2e_test

import (
	"fmt"
	"os"
	"testing"

	"projection.sh/operator/test/env"
)

var (
	cluster *env.Environment
	// program is the path of the operator's.
	program string
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if program, err = env.Manager(); err != nil {
		return complain(err)
	}
	if err := env.Read(env.Chart()); err != nil {
		return complain(err)
	}
	return env.Main(m, &cluster, env.WithControllerManager())
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, "The tests cannot begin:", err)
	return 1
}
