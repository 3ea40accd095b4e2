package fleet_test

import (
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

func TestMain(m *testing.M) { os.Exit(env.Main(withHub{m}, &cluster)) }

// withHub runs tests that need a hub besides.
type withHub struct{ m *testing.M }

// Run implements the argument of env.Main.
func (w withHub) Run() int { return env.Main(w.m, &hub, env.WithCRDs(env.CRDs())) }
