package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

var errTooLong = errors.New("it took too long")

// process is a program that is measured.
type process struct {
	cmd   *exec.Cmd
	input io.WriteCloser
	lines chan string   // of its standard output
	done  chan struct{} // closed when it has ended
}

func startProcess(log io.Writer, path string, args ...string) (*process, error) {
	cmd := exec.Command(path, args...)
	cmd.Stderr = log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for the bench to handle
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	p := &process{cmd: cmd, input: input, lines: make(chan string, 100), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			p.lines <- scanner.Text()
		}
		_ = cmd.Wait() // stop looks at the state that this leaves
	}()
	return p, nil
}

// expect waits for a line of the output.
func (p *process) expect(ctx context.Context, wanted string) error {
	for {
		select {
		case line := <-p.lines:
			if line == wanted {
				return nil
			}
		case <-p.done:
			return fmt.Errorf("%s has ended by itself", filepath.Base(p.cmd.Path))
		case <-time.After(time.Minute):
			return fmt.Errorf("wait for %q from %s: %w", wanted, filepath.Base(p.cmd.Path), errTooLong)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// say writes a line to its standard input.
func (p *process) say(line string) error {
	_, err := io.WriteString(p.input, line+"\n")
	return err
}

// stop asks the process to end, and insists after fifteen seconds. A nil process has ended.
func (p *process) stop() error {
	if p == nil {
		return nil
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		<-p.done
		return fmt.Errorf("%s has ended by itself with %s", filepath.Base(p.cmd.Path), p.cmd.ProcessState)
	}
	select {
	case <-p.done:
	case <-time.After(15 * time.Second):
		return errors.Join(fmt.Errorf("stop %s: %w", filepath.Base(p.cmd.Path), errTooLong), p.cmd.Process.Kill())
	}
	if !p.cmd.ProcessState.Success() {
		return fmt.Errorf("%s ended with %s", filepath.Base(p.cmd.Path), p.cmd.ProcessState)
	}
	return nil
}
