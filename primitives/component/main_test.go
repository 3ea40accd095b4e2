package component_test

import (
	"os"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"

	"projection.sh/operator/test/env"
)

var cluster *env.Environment

func TestMain(m *testing.M) {
	if err := addOwners(scheme.Scheme); err != nil {
		panic(err)
	}
	os.Exit(env.Main(m, &cluster, env.WithCRDs("testdata/crds")))
}
