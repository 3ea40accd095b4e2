package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"projection.sh/operator/test/env"
)

// shell runs commands as a user would type them, at the top of the source tree.
type shell struct{ environment []string }

func newShell(kubeConfig, assets string) shell {
	path := assets + string(os.PathListSeparator) + os.Getenv("PATH")
	return shell{environment: append(os.Environ(), "PATH="+path, "KUBECONFIG="+kubeConfig)}
}

// run shows the command and what it prints.
func (s shell) run(ctx context.Context, line string) error {
	showCommand(line)
	output, err := s.ask(ctx, line)
	showOutput(output)
	return err
}

// ask runs a command out of sight.
func (s shell) ask(ctx context.Context, line string) (string, error) {
	cmd := exec.CommandContext(ctx, "bash", "-c", line)
	cmd.Dir, cmd.Env = env.Root(), s.environment
	output, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return string(output), context.Cause(ctx)
	}
	if err != nil {
		return string(output), fmt.Errorf("%s: %w", line, err)
	}
	return string(output), nil
}
