package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"projection.sh/operator/test/env"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	interrupted := ctx.Err() != nil
	cancel()
	switch {
	case err == nil:
		return
	case interrupted:
		say("\nInterrupted. Everything that was started has been stopped.")
	default:
		fmt.Fprintf(os.Stderr, "\nThe demo failed: %v\n", err)
	}
	os.Exit(1)
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 0:
		return perform(ctx, os.Getenv("KEEP") != "")
	case len(args) == 1 && args[0] == "stop":
		return stopKept(ctx)
	case len(args) == 2 && args[0] == "stage":
		return runStage(ctx, args[1])
	default:
		return errors.New("usage: demo [stop]")
	}
}

// perform sets the stage, tells the story, and clears the stage or leaves it.
func perform(ctx context.Context, keep bool) (err error) {
	if err := nothingKept(); keep && err != nil {
		return err
	}
	assets, err := env.Assets()
	if err != nil {
		return err
	}
	heading("A control plane on loopback, and the manager")
	set, err := openStage(ctx, assets)
	if err != nil {
		return err
	}
	kept := false
	defer func() {
		if !kept {
			err = errors.Join(err, set.close())
		}
	}()

	if err := tellStory(set.context(ctx), set.props, assets, keep); err != nil {
		set.printLogs(ctx)
		return err
	}
	if keep {
		kept, err = true, set.keep()
		return err
	}
	heading("The end: everything is being stopped")
	return nil
}
