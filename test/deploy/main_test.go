package deploy_test

import (
	"os"
	"path/filepath"
	"testing"

	"projection.sh/operator/test/env"
)

var cluster *env.Environment

func TestMain(m *testing.M) {
	os.Exit(env.Main(m, &cluster, env.WithCRDs(filepath.Join("testdata", "crds")), env.WithControllerManager(),
		// An API server that streams lists needs no right to list; older ones do.
		env.WithAPIServerFlag("feature-gates", "WatchList=false")))
}
