package crash_test

import (
	"flag"
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
		*seed = env.Seed()
	}
	env.Parallel("12")
	env.Log(*logs)
	os.Exit(env.Main(m, &cluster, env.WithCRDs(env.CRDs()), env.WithControllerManager()))
}
