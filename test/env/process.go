package env

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// process is a program beside envtest's own.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

func startControllerManager(e *Environment, logs string) (*process, error) {
	certs := e.plane.ControlPlane.GetAPIServer().CertDir
	cmd := exec.Command(filepath.Join(e.Assets, string(ControllerManager)),
		"--kubeconfig="+e.KubeConfig,
		"--service-account-private-key-file="+filepath.Join(certs, "sa-signer.key"),
		"--root-ca-file="+filepath.Join(certs, "apiserver.crt"),
		"--leader-elect=false",
		"--secure-port=0",
		"--kube-api-qps=1000", "--kube-api-burst=1000",
	)
	if logs != "" {
		out, errOut, err := logFiles(logs, string(ControllerManager))
		if err != nil {
			return nil, err
		}
		cmd.Stdout, cmd.Stderr = out, errOut
	}
	return startProcess(cmd)
}

func startProcess(cmd *exec.Cmd) (*process, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", filepath.Base(cmd.Path), err)
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // how it has ended says nothing: it is told to
	}()
	return p, nil
}

// stop asks the process to end and insists after five seconds. A nil process has ended.
func (p *process) stop() error {
	if p == nil {
		return nil
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return nil //nolint:nilerr // it has ended by itself
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(5 * time.Second):
		return p.cmd.Process.Kill()
	}
}

// logFiles opens the file that both streams of a program go to. A file, unlike a pipe, outlives this process.
func logFiles(dir, program string) (io.Writer, io.Writer, error) {
	file, err := os.OpenFile(filepath.Join(dir, program+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return file, file, err
}
