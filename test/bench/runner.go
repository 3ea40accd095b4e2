package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/bench/bare"
	"projection.sh/operator/test/env"
)

// contestant is who copies.
type contestant string

// Contestants.
const (
	theLimit   contestant = "limit"   // the bare client
	theManager contestant = "manager" // the operator
)

// user is who the contestant is to the API server, and in its audit log.
func (c contestant) user() string { return "bench-" + string(c) }

// concurrency is what the manager does at a time by default, and hence the bare client.
var concurrency = app.Defaults().SelectorWriteConcurrency

// runner is a contestant that runs.
type runner struct {
	*process
	metrics string // address, if it has metrics
	began   time.Time
}

// startManager starts the manager as users do, but for where it listens.
func startManager(ctx context.Context, path, kubeConfig string, log *os.File) (*runner, error) {
	health, err := freeAddress()
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	r := &runner{metrics: address, began: time.Now()}
	r.process, err = startProcess(log, path,
		"--kubeconfig="+kubeConfig,
		"--leader-election-namespace=default",
		"--metrics-bind-address="+address,
		"--metrics-secure=false",
		"--health-probe-bind-address="+health,
	)
	if err != nil {
		return nil, err
	}
	if err := r.waitUntil(ctx, func() bool { return isOK(ctx, "http://"+health+"/readyz") }); err != nil {
		return nil, errors.Join(err, r.stop())
	}
	return r, nil
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
	r := &runner{began: time.Now()}
	r.process, err = startProcess(log, self, "bare", "--kubeconfig="+kubeConfig, "--kinds="+strings.Join(names, ","))
	if err != nil {
		return nil, err
	}
	if err := r.expect(ctx, bare.Ready); err != nil {
		return nil, errors.Join(err, r.stop())
	}
	return r, nil
}

// waitUntil waits for what the process can only be asked for.
func (r *runner) waitUntil(ctx context.Context, holds func() bool) error {
	deadline := time.After(patience)
	for !holds() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.done:
			return fmt.Errorf("%s has ended by itself", filepath.Base(r.cmd.Path))
		case <-deadline:
			return fmt.Errorf("wait for %s: %w", filepath.Base(r.cmd.Path), errTooLong)
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
	return usageOf(r.cmd.Process.Pid)
}

func freeAddress() (string, error) {
	port, err := env.FreePort()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), err
}

// command tells the bare client to do something, and waits until it does.
func (r *runner) command(ctx context.Context, line string) error {
	if err := r.say(line); err != nil {
		return err
	}
	return r.expect(ctx, bare.Ready)
}
