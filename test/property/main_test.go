package property_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/histories"
)

var (
	chosen = histories.NewFlags(220, 3)
	logs   = flag.Bool("manager-logs", false, "write what the managers log to standard error")
)

var cluster *env.Environment

func TestMain(m *testing.M) {
	flag.Parse()
	env.Parallel("6")
	env.Log(*logs)
	os.Exit(env.Main(m, &cluster, env.WithCRDs(env.CRDs(), filepath.Join("testdata", "crds")), env.WithControllerManager()))
}
