package env

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Snapshot is a copy of what etcd had stored.
type Snapshot string

// TakeSnapshot copies the data of etcd while etcd is frozen. That is what a snapshot of a single member holds.
func (e *Environment) TakeSnapshot() (_ Snapshot, err error) {
	data, err := e.dataOfEtcd()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(e.dir, "snapshot-")
	if err != nil {
		return "", err
	}
	if err := e.Freeze(Etcd); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, e.Thaw(Etcd)) }()
	copied := filepath.Join(dir, "data")
	return Snapshot(copied), os.CopyFS(copied, os.DirFS(data))
}

// RestoreSnapshot kills the control plane, lets etcd have the data of the snapshot and nothing else, starts the control plane again, and
// returns when the API server answers. Resource versions go on from those of the snapshot: the ones that were given since are given again.
func (e *Environment) RestoreSnapshot(ctx context.Context, snapshot Snapshot) error {
	data, err := e.dataOfEtcd()
	if err != nil {
		return err
	}
	if err := e.controllerManager.end(); err != nil {
		return err
	}
	server, err := e.kill(ctx, APIServer)
	if err != nil {
		return err
	}
	storage, err := e.kill(ctx, Etcd)
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(data), os.CopyFS(data, os.DirFS(string(snapshot)))); err != nil {
		return fmt.Errorf("put the snapshot in place: %w", err)
	}
	if e.restarted[Etcd], err = StartProcess(exec.Command(storage[0], storage[1:]...)); err != nil {
		return err
	}
	if err := e.startAgain(ctx, APIServer, server); err != nil || e.controllerManager == nil {
		return err
	}
	e.controllerManager, err = startControllerManager(e, "") // its watches would wait for the versions that it has seen
	return err
}

// kill ends the program without a last word, and returns its arguments.
func (e *Environment) kill(ctx context.Context, program Program) (arguments []string, err error) {
	pid, arguments, err := e.find(program)
	if err != nil {
		return nil, err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return nil, fmt.Errorf("kill %s: %w", program, err)
	}
	gone := func(context.Context) (bool, error) { return hasEnded(pid), nil }
	if err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, time.Minute, true, gone); err != nil {
		return nil, fmt.Errorf("wait for the end of %s: %w", program, err)
	}
	return arguments, nil
}

// hasEnded reports whether no thread of the process runs any more, so that its ports are free. A process whose first thread has ended has no
// arguments any more, while others still hold its sockets.
func hasEnded(pid int) bool {
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err != nil || len(threads) == 1 && strings.HasPrefix(state, "Z")
}

// dataOfEtcd returns the directory in which etcd stores everything.
func (e *Environment) dataOfEtcd() (string, error) {
	_, arguments, err := e.find(Etcd)
	if err != nil {
		return "", err
	}
	for _, argument := range arguments {
		if dir, found := strings.CutPrefix(argument, "--data-dir="); found {
			return dir, nil
		}
	}
	return "", fmt.Errorf("etcd runs without --data-dir: %s", strings.Join(arguments, " "))
}
