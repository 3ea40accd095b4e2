package env

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Program is one of the control plane.
type Program string

// Programs. Those that can be disturbed are etcd and kube-apiserver.
const (
	Etcd              Program = "etcd"
	APIServer         Program = "kube-apiserver"
	ControllerManager Program = "kube-controller-manager"
)

// Freeze stops the program where it is. Its connections stay open, and nothing comes out of them until Thaw.
func (e *Environment) Freeze(program Program) error { return e.signal(program, syscall.SIGSTOP) }

// Thaw lets a frozen program go on.
func (e *Environment) Thaw(program Program) error { return e.signal(program, syscall.SIGCONT) }

// Restart kills the program without a last word, starts it again with the same arguments and the same data, and returns
// when the API server answers again.
func (e *Environment) Restart(ctx context.Context, program Program) error {
	arguments, err := e.kill(ctx, program)
	if err != nil {
		return err
	}
	return e.startAgain(ctx, program, arguments)
}

// startAgain starts the program until it stays. Somebody may have got its port for a moment.
func (e *Environment) startAgain(ctx context.Context, program Program, arguments []string) error {
	for try := 1; ; try++ {
		cmd := exec.Command(arguments[0], arguments[1:]...)
		var words bytes.Buffer
		cmd.Stderr = &words
		started, err := StartProcess(cmd)
		if err != nil {
			return fmt.Errorf("start %s again: %w", program, err)
		}
		e.restarted[program] = started
		ctx, cancel := context.WithCancel(ctx)
		go func() {
			select {
			case <-started.ended:
				cancel() // there is nobody to wait for
			case <-ctx.Done():
			}
		}()
		err = e.WaitUntilReady(ctx)
		cancel()
		select {
		case <-started.ended:
			if try < 5 {
				continue
			}
			return fmt.Errorf("%s does not stay: %w\n%s", program, err, words.String())
		default:
			return err
		}
	}
}

// WaitUntilReady returns when the API server and its storage answer.
func (e *Environment) WaitUntilReady(ctx context.Context) error {
	return waitUntilReady(ctx, e.Config)
}

func waitUntilReady(ctx context.Context, config *rest.Config) error {
	config = rest.CopyConfig(config)
	config.Timeout = 5 * time.Second
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	var last error
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := client.RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		if err == nil { // of its storage, that does not tell
			_, err = client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
		}
		last = err
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the API server: %w", errors.Join(err, last))
	}
	return nil
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
