package roundtrip_test

import (
	"os"
	"testing"

	"k8s.io/client-go/rest"

	"projection.sh/operator/test/env"
)

var cluster *env.Environment

func TestMain(m *testing.M) {
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	os.Exit(env.Main(m, &cluster, env.WithControllerManager()))
}
