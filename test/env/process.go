package env

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Process is a program that was started.
type Process struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// StartProcess starts the command. What a terminal sends to this process does not reach it.
func StartProcess(cmd *exec.Cmd) (*Process, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", filepath.Base(cmd.Path), err)
	}
	p := &Process{cmd: cmd, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		_ = cmd.Wait() // Stop looks at the state that this leaves
	}()
	return p, nil
}

// ID returns the number of the process.
func (p *Process) ID() int { return p.cmd.Process.Pid }

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Freeze stops the process where it is. It knows nothing of the time that passes until Thaw.
func (p *Process) Freeze() error { return p.cmd.Process.Signal(syscall.SIGSTOP) }

// Thaw lets a frozen process go on.
func (p *Process) Thaw() error { return p.cmd.Process.Signal(syscall.SIGCONT) }

// Kill ends the process, frozen or not, without asking it.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // one that has ended is no worse
	<-p.ended
}

// Stop asks the process to end, and kills it after half a minute. It returns an error unless the process ran until now, and
// ended cleanly. A nil process does nothing.
func (p *Process) Stop() error {
	if p == nil {
		return nil
	}
	name := filepath.Base(p.cmd.Path)
	if p.cmd.Process.Signal(syscall.SIGTERM) != nil {
		<-p.ended
		return fmt.Errorf("%s has ended by itself with %s", name, p.cmd.ProcessState)
	}
	if !p.endsWithin(30 * time.Second) {
		return fmt.Errorf("%s did not end, and was killed", name)
	}
	if !p.cmd.ProcessState.Success() {
		return fmt.Errorf("%s ended with %s", name, p.cmd.ProcessState)
	}
	return nil
}

// endsWithin reports whether the process ends by then. It is killed if not.
func (p *Process) endsWithin(limit time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(limit):
		p.Kill()
		return false
	}
}

// end asks a program of the control plane to end, in whatever way. A nil process has ended.
func (p *Process) end() error {
	if p == nil {
		return nil
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	p.endsWithin(5 * time.Second)
	return nil
}

func startControllerManager(e *Environment, logs string) (*Process, error) {
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
	return StartProcess(cmd)
}

// logFiles opens the file that both streams of a program go to. A file, unlike a pipe, outlives this process.
func logFiles(dir, program string) (io.Writer, io.Writer, error) {
	file, err := os.OpenFile(filepath.Join(dir, program+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return file, file, err
}
