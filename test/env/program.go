package env

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Program is one of the programs without which nothing goes.
type Program string

// Programs that can be disturbed.
const (
	Etcd      Program = "etcd"
	APIServer Program = "kube-apiserver"
)

// Freeze stops the program where it is. Its connections stay open, and nothing comes out of them until Thaw.
func (e *Environment) Freeze(program Program) error { return e.signal(program, syscall.SIGSTOP) }

// Thaw lets a frozen program go on.
func (e *Environment) Thaw(program Program) error { return e.signal(program, syscall.SIGCONT) }

// Restart kills the program without a last word, starts it again with the same arguments and the same data, and returns
// when the API server answers again.
func (e *Environment) Restart(ctx context.Context, program Program) error {
	pid, arguments, err := e.find(program)
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill %s: %w", program, err)
	}
	gone := func(context.Context) (bool, error) {
		_, _, err := e.find(program)
		return err != nil, nil
	}
	if err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, time.Minute, true, gone); err != nil {
		return fmt.Errorf("wait for the end of %s: %w", program, err)
	}
	started, err := startProcess(exec.Command(arguments[0], arguments[1:]...))
	if err != nil {
		return fmt.Errorf("start %s again: %w", program, err)
	}
	e.restarted = append(e.restarted, started)
	return e.WaitUntilReady(ctx)
}

// WaitUntilReady returns when the API server and its storage answer.
func (e *Environment) WaitUntilReady(ctx context.Context) error {
	config := rest.CopyConfig(e.Config)
	config.Timeout = 5 * time.Second
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := client.RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err == nil, nil
	})
}

func (e *Environment) signal(program Program, signal syscall.Signal) error {
	pid, _, err := e.find(program)
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, signal); err != nil {
		return fmt.Errorf("signal %s to %s: %w", signal, program, err)
	}
	return nil
}

// find returns the process of the program and its arguments. The port tells it from that of another environment.
func (e *Environment) find(program Program) (pid int, arguments []string, err error) {
	mark := "--secure-port=" + e.plane.ControlPlane.GetAPIServer().SecureServing.Port
	if program == Etcd {
		mark = "--listen-client-urls=" + e.plane.ControlPlane.Etcd.URL.String()
	}
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return 0, nil, err
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(content, []byte("\x00"+mark+"\x00")) {
			continue // it has ended, or is another one
		}
		arguments = strings.Split(strings.TrimSuffix(string(content), "\x00"), "\x00")
		if filepath.Base(arguments[0]) == string(program) {
			pid, err = strconv.Atoi(filepath.Base(filepath.Dir(file)))
			return pid, arguments, err
		}
	}
	return 0, nil, fmt.Errorf("no %s runs with %s", program, mark)
}
