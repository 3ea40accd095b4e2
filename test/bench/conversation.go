package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"projection.sh/operator/test/bench/bare"
	"projection.sh/operator/test/env"
)

var (
	errTooLong = errors.New("it took too long")
	errEnded   = errors.New("it has ended by itself")
)

// conversation is how the bare client is commanded.
type conversation struct {
	input io.WriteCloser
	lines chan string // of its standard output
}

// converse starts the bare client.
func converse(cmd *exec.Cmd) (*conversation, *env.Process, error) {
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	output, stdout, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer stdout.Close()
	cmd.Stdout = stdout
	process, err := env.StartProcess(cmd)
	if err != nil {
		return nil, nil, errors.Join(err, output.Close())
	}
	c := &conversation{input: input, lines: make(chan string, 100)}
	go func() {
		defer output.Close()
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			c.lines <- scanner.Text()
		}
	}()
	return c, process, nil
}

// expect waits for a line of the bare client's output.
func (r *runner) expect(ctx context.Context, wanted string) error {
	for {
		select {
		case line := <-r.bare.lines:
			if line == wanted {
				return nil
			}
		case <-r.Ended():
			return errEnded
		case <-time.After(time.Minute):
			return fmt.Errorf("wait for %q: %w", wanted, errTooLong)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// command tells the bare client to do something, and waits until it does.
func (r *runner) command(ctx context.Context, line string) error {
	if _, err := io.WriteString(r.bare.input, line+"\n"); err != nil {
		return err
	}
	return r.expect(ctx, bare.Ready)
}
