package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/bench/bare"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

// copier is who copies.
type copier string

// Copiers.
const (
	theLimit   copier = "limit"   // the bare client
	theManager copier = "manager" // the operator
)

// user is who the copier is to the API server, and in its audit log.
func (c copier) user() string { return "bench-" + string(c) }

// concurrency is what the manager does at a time by default, and hence the bare client.
var concurrency = app.Defaults().SelectorWriteConcurrency

// runner is a copier that runs.
type runner struct {
	*env.Process

	read  func(context.Context) (string, error) // what it measures, if it is the manager
	bare  *conversation                         // if it is the bare client
	began time.Time
}

// startManager starts the manager as users do, but for where it listens.
func startManager(ctx context.Context, path, kubeConfig string, log *os.File, flags ...string) (*runner, error) {
	began := time.Now()
	operator, err := manager.StartReadyProcess(ctx, path, log.Name(), append([]string{
		"--kubeconfig=" + kubeConfig, "--leader-election-namespace=default", "--metrics-secure=false",
	}, flags...)...)
	if err != nil {
		return nil, err
	}
	return &runner{Process: operator.Process, read: operator.Metrics, began: began}, nil
}

// startLimit starts the bare client, which is this program under another name.
func startLimit(ctx context.Context, kubeConfig string, kinds []kind, log *os.File) (*runner, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Kind.Kind
	}
	cmd := exec.Command(self, "bare", "--kubeconfig="+kubeConfig, "--kinds="+strings.Join(names, ","))
	cmd.Stderr = log
	r := &runner{began: time.Now()}
	if r.bare, r.Process, err = converse(cmd); err != nil {
		return nil, err
	}
	if err := r.expect(ctx, bare.Ready); err != nil {
		return nil, errors.Join(err, r.Stop())
	}
	return r, nil
}

// waitUntil waits for what the process can only be asked for.
func (r *runner) waitUntil(ctx context.Context, holds func() bool) error {
	deadline := time.After(timeout)
	for !holds() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.Ended():
			return errEnded
		case <-deadline:
			return errTooLong
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// used returns what the runner has used by now.
func (r *runner) used() (usage, error) {
	if r == nil {
		return usage{}, nil
	}
	return usageOf(r.ID())
}
