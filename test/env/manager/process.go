package manager

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"projection.sh/operator/test/env"
)

// Process is a manager that runs as a process of its own.
type Process struct {
	*env.Process
	endpoints

	log string
}

// Self stands for the test program, whose TestMain calls Serve.
const Self = ""

// StartProcess runs the program as a manager with the flags, without metrics and probes. It need not be ready yet. What it
// logs is added to the file.
func StartProcess(program, log string, flags ...string) (*Process, error) {
	return start(program, log, off, off, flags)
}

// StartReadyProcess runs the program as StartProcess does, with metrics and probes, and returns when it is ready.
func StartReadyProcess(ctx context.Context, program, log string, flags ...string) (*Process, error) {
	return untilReady(ctx, func() (*Process, error) {
		probes, err := env.Address()
		if err != nil {
			return nil, err
		}
		metrics, err := env.Address()
		if err != nil {
			return nil, err
		}
		return start(program, log, probes, metrics, flags)
	})
}

func start(program, log, probes, metrics string, flags []string) (_ *Process, err error) {
	if program == Self {
		if program, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	file, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	cmd := exec.Command(program, append(slices.Clone(flags), "--metrics-bind-address="+metrics, "--health-probe-bind-address="+probes)...)
	cmd.Env = append(os.Environ(), serving+"=1")
	cmd.Stdout, cmd.Stderr = file, file
	if _, err = cmd.StdinPipe(); err != nil { // Serve waits for its end, which is that of this process at the latest
		return nil, err
	}
	process, err := env.StartProcess(cmd)
	if err != nil {
		return nil, err
	}
	return &Process{process, endpointsAt(probes, metrics, !slices.Contains(flags, "--metrics-secure=false")), log}, nil
}

// Ready returns when the manager is ready, or why it does not get there.
func (m *Process) Ready(ctx context.Context) error {
	if err := m.ready(ctx, m.Ended()); err != nil {
		return fmt.Errorf("%w\n%s", err, m.Log())
	}
	return nil
}

// Log returns what the process has written.
func (m *Process) Log() string {
	content, err := os.ReadFile(m.log)
	if err != nil {
		return err.Error()
	}
	return string(content)
}
