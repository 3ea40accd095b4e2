package component_test

import (
	"os"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"

	"projection.sh/operator/test/env"
)

var cluster *env.Environment

func TestMain(m *testing.M) {
	addOwners(scheme.Scheme)
	os.Exit(env.Main(m, &cluster, env.WithCRDs("testdata/crds")))
}
