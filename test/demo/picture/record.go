package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// record runs the command in the directory, repeats what it prints, and notes when it printed each line. A command that fails is an error.
func record(ctx context.Context, dir string, command []string) (*recording, error) {
	output, input, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer output.Close()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CLICOLOR_FORCE=1")
	cmd.Stdout, cmd.Stderr = input, input

	began := time.Now()
	r := &recording{header: header{
		Version: 2, Width: columns, Height: rows, Timestamp: began.Unix(), Command: strings.Join(command, " "),
	}}
	err = cmd.Start()
	if err := errors.Join(err, input.Close()); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(io.TeeReader(output, os.Stdout))
	for lines.Scan() {
		r.printed = append(r.printed, printed{time.Since(began).Round(time.Millisecond), lines.Text()})
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Command, err)
	}
	return r, nil
}
