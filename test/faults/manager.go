package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	ctrl "sigs.k8s.io/controller-runtime"

	"projection.sh/operator/cmd/manager/app"
)

// serving tells a test program that it is to be a manager.
const serving = "PROJECTION_TEST_MANAGER"

// Serve makes this process a manager, and ends it, if Launch has started it. A TestMain calls it first.
func Serve() {
	if os.Getenv(serving) == "" {
		return
	}
	if err := app.Main(ctrl.SetupSignalHandler(), "test", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Manager is a manager that runs as a process of its own, behind a proxy.
type Manager struct {
	cmd   *exec.Cmd
	log   string
	ended chan struct{}
}

// Launch starts this very program as a manager with the flags. It need not be ready yet. The directory takes its
// kubeconfig and its log.
func Launch(proxy *Proxy, dir, name string, flags ...string) (*Manager, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(dir, name+".kubeconfig")
	if err := proxy.WriteKubeConfig(kubeconfig); err != nil {
		return nil, err
	}
	m := &Manager{log: filepath.Join(dir, name+".log"), ended: make(chan struct{})}
	log, err := os.Create(m.log)
	if err != nil {
		return nil, err
	}
	flags = append(flags, "--kubeconfig="+kubeconfig, "--metrics-bind-address=0", "--health-probe-bind-address=0")
	m.cmd = exec.CommandContext(context.Background(), self, flags...)
	m.cmd.Env = append(os.Environ(), serving+"=1")
	m.cmd.Stdout, m.cmd.Stderr = log, log
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := m.cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	go func() {
		defer close(m.ended)
		_ = errors.Join(m.cmd.Wait(), log.Close()) // how it has ended is in the log
	}()
	return m, nil
}

// WriteKubeConfig writes down how to reach the proxy.
func (p *Proxy) WriteKubeConfig(file string) error {
	config := p.Config()
	return clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"proxy": {Server: config.Host, CertificateAuthorityData: config.CAData}},
		Contexts:       map[string]*clientcmdapi.Context{"proxy": {Cluster: "proxy"}},
		CurrentContext: "proxy",
	}, file)
}

// Ended is closed when the process has ended.
func (m *Manager) Ended() <-chan struct{} { return m.ended }

// Log returns what the process has written.
func (m *Manager) Log() string {
	content, err := os.ReadFile(m.log)
	if err != nil {
		return err.Error()
	}
	return string(content)
}

// Freeze stops the process where it is. It knows nothing of the time that passes until Thaw.
func (m *Manager) Freeze() error { return m.cmd.Process.Signal(syscall.SIGSTOP) }

// Thaw lets a frozen process go on.
func (m *Manager) Thaw() error { return m.cmd.Process.Signal(syscall.SIGCONT) }

// Kill ends the process, frozen or not, without a last word.
func (m *Manager) Kill() {
	_ = m.cmd.Process.Kill() // one that has ended is no worse
	<-m.ended
}

// Stop asks the process to end, and insists after half a minute.
func (m *Manager) Stop() {
	_ = m.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-m.ended:
	case <-time.After(30 * time.Second):
		m.Kill()
	}
}
