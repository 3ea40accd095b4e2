package upgrade_test

import (
	"os"
	"testing"

	"projection.sh/operator/test/env"
)

// cluster is shared by the tests that change the definitions of rules, which therefore run one after the other.
var cluster *env.Environment

func TestMain(m *testing.M) {
	env.Log(false)
	os.Exit(env.Main(m, &cluster, env.WithCRDs(env.CRDs())))
}
