package hostile_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"projection.sh/operator/test/env"
)

// manager is a process.
type manager struct {
	command         *exec.Cmd
	log             string
	metrics, health string
}

// startManager runs a manager with that identity, and returns when it is ready.
func startManager(logs, kubeconfig string, flags ...string) (*manager, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	m := &manager{log: filepath.Join(logs, filepath.Base(kubeconfig)+".log"), metrics: address(), health: address()}
	m.command = exec.Command(program, append([]string{
		"--kubeconfig=" + kubeconfig, "--leader-elect=false", "--zap-log-level=10", "--requeue-interval=2s",
		"--metrics-secure=false", "--metrics-bind-address=" + m.metrics, "--health-probe-bind-address=" + m.health,
	}, flags...)...)
	m.command.Env = append(os.Environ(), asManager+"=1")
	file, err := os.Create(m.log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	m.command.Stdout, m.command.Stderr = file, file
	m.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := m.command.Start(); err != nil {
		return nil, err
	}
	err = wait.PollUntilContextTimeout(context.Background(), 20*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		status, _ := fetch("http://" + m.health + "/readyz")
		return status == http.StatusOK, nil
	})
	if err != nil {
		_ = m.stop()
		return nil, fmt.Errorf("the manager does not get ready: %w\n%s", err, m.said())
	}
	return m, nil
}

func (m *manager) stop() error {
	if err := m.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return m.command.Wait()
}

// said returns all that the manager has logged.
func (m *manager) said() string {
	content, err := os.ReadFile(m.log)
	if err != nil {
		return err.Error()
	}
	return string(content)
}

// measured returns what the manager measures.
func (m *manager) measured() string {
	_, body := fetch("http://" + m.metrics + "/metrics")
	return body
}

func fetch(url string) (status int, body string) {
	response, err := http.Get(url)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, ""
	}
	return response.StatusCode, string(content)
}

// address returns one that nobody listens on.
func address() string {
	port, err := env.FreePort()
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", port)
}
