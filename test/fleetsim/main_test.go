package fleetsim_test

import (
	"os"
	"testing"

	"projection.sh/operator/test/env"
)

var hub *env.Environment

func TestMain(m *testing.M) {
	env.Log(true)
	os.Exit(env.Main(m, &hub, env.WithCRDs(env.CRDs())))
}
