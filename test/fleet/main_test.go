package fleet_test

import (
	"os"
	"testing"

	"projection.sh/operator/test/env"
)

// cluster is a member. No operator runs in it.
var cluster *env.Environment

func TestMain(m *testing.M) { os.Exit(env.Main(m, &cluster)) }
