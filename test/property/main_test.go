package property_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"projection.sh/operator/test/env"
)

var (
	seed  = flag.Uint64("seed", 0, "seed of the only history; 0: as many as -histories, with seeds that are chosen by the commit")
	steps = flag.Int("steps", 220, "steps of each history")
	count = flag.Int("histories", 3, "histories to try")
	other = flag.Bool("other-histories", false, "choose seeds at random, and not by the commit")
	logs  = flag.Bool("manager-logs", false, "write what the managers log to standard error")
)

var cluster *env.Environment

func TestMain(m *testing.M) {
	flag.Parse()
	env.Parallel("6")
	env.Log(*logs)
	os.Exit(env.Main(m, &cluster, env.WithCRDs(env.CRDs(), filepath.Join("testdata", "crds")), env.WithControllerManager()))
}
