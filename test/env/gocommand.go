package env

import (
	"context"
	"os"
	"os/exec"
)

// GoCommand returns the go command with the arguments, in the root of the module. It compiles as the Makefile does, so that nothing is compiled twice.
func GoCommand(ctx context.Context, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "go", arguments...)
	command.Dir = Root()
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath")
	return command
}
