package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"projection.sh/operator/test/env"
)

var errManagerEnded = errors.New("the manager has ended by itself")

// manager is the operator, as a process.
type manager struct {
	cmd    *exec.Cmd
	health string        // host and port of the probes
	done   chan struct{} // closed when the process has ended
}

// canRun says what to do if the manager's program is not there.
func canRun(program string) error {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("there is no manager to show, and nothing was started (%w): make build compiles bin/manager; make demo does that, too", err)
	}
	return nil
}

func startManager(program, kubeConfig, logs string) (*manager, error) {
	port, err := env.FreePort()
	if err != nil {
		return nil, err
	}
	health := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	log, err := os.Create(managerLog(logs))
	if err != nil {
		return nil, err
	}
	defer log.Close()

	m := &manager{health: health, done: make(chan struct{}), cmd: exec.Command(program,
		"--kubeconfig="+kubeConfig,
		"--leader-elect=false",
		"--metrics-bind-address=0",
		"--health-probe-bind-address="+health,
	)}
	m.cmd.Stdout, m.cmd.Stderr = log, log
	if err := m.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the manager: %w", err)
	}
	go func() {
		defer close(m.done)
		_ = m.cmd.Wait() // stop looks at the state that this leaves
	}()
	return m, nil
}

func managerLog(logs string) string { return filepath.Join(logs, "manager.log") }

func (m *manager) waitUntilReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("the manager did not get ready within a minute"))
	defer cancel()
	for !m.ready(ctx) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-m.done:
			return errManagerEnded
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

func (m *manager) ready(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+m.health+"/readyz", http.NoBody)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// stop asks the manager to end, which it has to do cleanly and within ten seconds.
func (m *manager) stop() error {
	if err := m.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-m.done:
	case <-time.After(15 * time.Second):
		return errors.Join(errors.New("the manager did not end within 15 seconds"), m.cmd.Process.Kill())
	}
	if !m.cmd.ProcessState.Success() {
		return fmt.Errorf("the manager ended with %s", m.cmd.ProcessState)
	}
	return nil
}
