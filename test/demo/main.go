package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
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
	case len(args) == 1 && args[0] == "stop":
		return stopKept(ctx)
	case len(args) == 1 && args[0] == "kubeconfig":
		return printKept()
	case len(args) == 3 && args[0] == "stage":
		return runStage(ctx, args[1], args[2])
	case len(args) == 1:
		return perform(ctx, args[0], keeps())
	default:
		return errors.New("usage: demo <manager> | demo stop | demo kubeconfig")
	}
}

// hasTwoClusters reports whether the story is the one of two clusters.
func hasTwoClusters() bool { return os.Getenv("CLUSTERS") == "2" }

// checkClusters says which values of CLUSTERS there are.
func checkClusters(keep bool) error {
	switch clusters := os.Getenv("CLUSTERS"); {
	case clusters != "" && clusters != "1" && clusters != "2":
		return fmt.Errorf("CLUSTERS is %q, and nothing was started: set it to 1 or 2", clusters)
	case clusters == "2" && keep:
		return errors.New("CLUSTERS=2 and KEEP=1 do not go together, and nothing was started: the way between the clusters ends with the demo")
	default:
		return nil
	}
}

// keeps reports whether everything is to be left running.
func keeps() bool { return os.Getenv("KEEP") != "" }

// perform sets the stage, tells the story, and clears the stage or leaves it. What fails early does so before a control
// plane is built, which takes minutes.
func perform(ctx context.Context, manager string, keep bool) error {
	if err := errors.Join(canRun(manager), checkClusters(keep)); err != nil {
		return err
	}
	if err := nothingKept(); keep && err != nil {
		return err
	}
	var programs []env.Program
	if keep {
		programs = append(programs, env.ControllerManager)
	}
	assets, err := env.Assets(programs...)
	if err != nil {
		return err
	}
	var checked tally
	err = performOn(ctx, &checked, manager, assets, keep)
	say("\n%s", &checked)
	return err
}

// canRun says what to do if the manager's program is not there.
func canRun(program string) error {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("there is no manager to show, and nothing was started (%w): make build compiles bin/manager; make demo does that, too", err)
	}
	return nil
}

func performOn(ctx context.Context, checked *tally, manager, assets string, keep bool) (err error) {
	heading("A control plane on loopback, and the manager")
	set, err := openStage(ctx, manager, assets)
	if checked.check(err) != nil {
		return err
	}
	kept := false
	defer func() {
		if !kept {
			err = errors.Join(err, checked.check(set.close()))
		}
	}()

	tell := tellStory
	if set.Member != "" {
		tell = tellStoryOfClusters
	}
	if err := tell(set.context(ctx), checked, set.props, assets, keep); err != nil {
		set.printLogs(ctx)
		return err
	}
	if keep {
		kept, err = true, set.keep()
		return err
	}
	if set.Member == "" {
		namePlugin(" make demo KEEP=1 leaves a demo running for it.")
	}
	heading("The end: everything is being stopped")
	return nil
}
