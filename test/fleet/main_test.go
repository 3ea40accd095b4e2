package fleet_test

import (
	"fmt"
	"os"
	"testing"

	"projection.sh/operator/test/env"
)

var (
	// cluster is a member. No operator runs in it.
	cluster *env.Environment
	// hub is where RemoteClusters are declared.
	hub *env.Environment
)

func TestMain(m *testing.M) {
	crds, err := env.AlphaCRDs()
	if err != nil {
		fmt.Fprintln(os.Stderr, "The tests need a CustomResourceDefinition:", err)
		os.Exit(1)
	}
	code := env.Main(withHub{m, crds}, &cluster)
	_ = os.RemoveAll(crds)
	os.Exit(code)
}

// withHub runs tests that need a hub besides.
type withHub struct {
	m    *testing.M
	crds string
}

// Run implements the argument of env.Main.
func (w withHub) Run() int { return env.Main(w.m, &hub, env.WithCRDs(w.crds)) }
