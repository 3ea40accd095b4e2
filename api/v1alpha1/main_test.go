package v1alpha1_test

import (
	"os"
	"testing"

	"projection.sh/operator/test/env"
)

var cluster *env.Environment

func TestMain(m *testing.M) { os.Exit(env.Main(m, &cluster, env.WithCRDs(env.CRDs()))) }
