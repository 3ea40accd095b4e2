package destination_test

import (
	"os"
	"path/filepath"
	"testing"

	"projection.sh/operator/test/env"
)

var cluster *env.Environment

func TestMain(m *testing.M) {
	os.Exit(env.Main(m, &cluster, env.WithCRDs(filepath.Join("testdata", "crds"))))
}
