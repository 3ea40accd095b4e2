package v1alpha1_test

import (
	"fmt"
	"os"
	"testing"

	"projection.sh/operator/test/env"
)

var cluster *env.Environment

func TestMain(m *testing.M) {
	crds, err := env.AlphaCRDs()
	if err != nil {
		fmt.Fprintln(os.Stderr, "The tests need a CustomResourceDefinition:", err)
		os.Exit(1)
	}
	code := env.Main(m, &cluster, env.WithCRDs(crds))
	_ = os.RemoveAll(crds)
	os.Exit(code)
}
