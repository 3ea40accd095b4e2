package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// openStage starts the stage and waits until the manager is ready.
func openStage(ctx context.Context, manager, assets string) (*stage, error) {
	logs, err := os.MkdirTemp("", "projection-demo-")
	if err != nil {
		return nil, err
	}
	began := time.Now()
	s, err := launch(manager, logs, assets)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(logs))
	}
	if err := s.awaitProps(ctx); err != nil {
		s.printLogs(ctx)
		return nil, errors.Join(err, s.close())
	}
	say("etcd, kube-apiserver and %s are up after %s.", manager, seconds(time.Since(began)))
	return s, nil
}

func (s *stage) awaitProps(ctx context.Context) error {
	read := make(chan error, 1)
	go func() {
		line, err := s.replies.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &s.props)
		}
		read <- err
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-read:
		if err != nil {
			return fmt.Errorf("the stage has ended early: %w", err)
		}
	}
	if s.Failure != "" {
		return errors.New(s.Failure)
	}
	return nil
}

// context returns a context that ends with the stage, too.
func (s *stage) context(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		<-s.done
		cancel(errors.New("the control plane or the manager has ended by itself"))
	}()
	return ctx
}

// keep leaves the stage to itself.
func (s *stage) keep() error {
	if _, err := io.WriteString(s.story, keepRequest); err != nil {
		return errors.Join(fmt.Errorf("keep the stage: %w", err), s.close())
	}
	if reply, err := s.replies.ReadString('\n'); err != nil || reply != keptReply {
		return errors.Join(fmt.Errorf("keep the stage: it answered %q", reply), err, s.close())
	}
	heading("Everything is left running")
	say("Your own kubectl reaches it with\n\n  export KUBECONFIG=%s\n", s.KubeConfig)
	say("If you have none: %s\nLogs:             %s\nmake demo-stop ends it.", filepath.Join(s.assets, "kubectl"), s.logs)
	namePlugin("")
	return nil
}

// close ends the stage, waits for it, and removes its logs.
func (s *stage) close() error {
	err := s.story.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	<-s.done
	if state := s.cmd.ProcessState; !state.Success() && s.Failure == "" {
		err = errors.Join(err, fmt.Errorf("the stage ended with %s: %s", state, tail(filepath.Join(s.logs, "stage.log"), 5)))
	}
	return errors.Join(err, os.RemoveAll(s.logs))
}

// printLogs shows the end of what the manager has to say, unless the user has simply had enough.
func (s *stage) printLogs(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	heading("The end of the manager's log")
	showOutput(tail(managerLog(s.logs), 30))
}

func managerLog(logs string) string { return filepath.Join(logs, "manager.log") }

func tail(path string, count int) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
