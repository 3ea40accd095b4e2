package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// kept is the state file's content. The stage holds a lock on the file for as long as it lives, so that a process which
// happens to bear the same id later is never taken for it.
type kept struct {
	PID        int
	KubeConfig string
}

func stateFile() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "projection-demo", "state.json"), err
}

// holdState notes a stage that stays. The lock ends with the file that is returned.
func holdState(kubeConfig string) (_ *os.File, err error) {
	path, err := stateFile()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB),
		file.Truncate(0),
		json.NewEncoder(file).Encode(kept{PID: os.Getpid(), KubeConfig: kubeConfig}),
	)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("hold %s: %w", path, err), file.Close())
	}
	return file, nil
}

// findKept returns the stage that runs, or nil.
func findKept() (*kept, error) {
	path, err := stateFile()
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil {
		return nil, nil // nobody holds it: what it says is of the past
	}
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, err
	}
	var found kept
	return &found, json.NewDecoder(file).Decode(&found)
}

func nothingKept() error {
	found, err := findKept()
	if err != nil || found == nil {
		return err
	}
	return fmt.Errorf("a demo is running already (KUBECONFIG=%s); make demo-stop ends it", found.KubeConfig)
}

// printKept prints where the kubeconfig of the demo is that runs.
func printKept() error {
	found, err := findKept()
	if err != nil {
		return err
	}
	if found == nil {
		return errors.New("no demo is running; make demo KEEP=1 starts one")
	}
	say("%s", found.KubeConfig)
	return nil
}

func stopKept(ctx context.Context) error {
	found, err := findKept()
	if err != nil {
		return err
	}
	if found == nil {
		say("No demo is running.")
		return nil
	}
	say("Stopping the demo (process %d) ...", found.PID)
	if err := syscall.Kill(found.PID, syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop process %d: %w", found.PID, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("it did not end within a minute"))
	defer cancel()
	for found != nil {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
		if found, err = findKept(); err != nil {
			return err
		}
	}
	say("It has ended; nothing is left running.")
	return nil
}
