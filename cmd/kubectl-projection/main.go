// Kubectl-projection is a plugin of kubectl: kubectl projection.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	_ "k8s.io/client-go/plugin/pkg/client/auth"

	"projection.sh/operator/cmd/kubectl-projection/internal/cli"
)

// version is stamped by the linker.
var version = "unknown"

// memoryLimit is from where on memory is freed more often.
const memoryLimit = 64 << 20

func main() {
	debug.SetMemoryLimit(memoryLimit)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	code := cli.New(version, streams).Run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
