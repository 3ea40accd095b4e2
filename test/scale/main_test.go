package scale_test

import (
	"os"
	"testing"

	"projection.sh/operator/test/env"
)

var cluster *env.Environment

func TestMain(m *testing.M) {
	env.Log(false)
	os.Exit(env.Main(m, &cluster, env.WithCRDs(env.CRDs())))
}
