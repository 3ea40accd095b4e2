package crash_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"

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
	env.Parallel("12")
	env.Log(*logs)
	os.Exit(env.Main(m, &cluster, env.WithCRDs(env.CRDs()), env.WithControllerManager()))
}
