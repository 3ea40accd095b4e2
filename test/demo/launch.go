package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"projection.sh/operator/test/env"
)

// stage is the story's end of the process that runs the control plane and the manager.
type stage struct {
	props

	assets  string // the directory of kubectl
	logs    string // the directory of every program's output
	cmd     *exec.Cmd
	story   io.WriteCloser // the stage lives as long as this is open
	replies *bufio.Reader
	done    chan struct{} // closed when the process has ended
}

// launch runs this program as the stage, in a session of its own: what the terminal sends reaches the story alone,
// which then ends the stage in good order.
func launch(manager, logs, assets string) (*stage, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(logs, "stage.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	replies, stdout, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdout.Close()

	cmd := exec.Command(self, "stage", manager, logs)
	cmd.Env = append(os.Environ(), env.AssetsVariable+"="+assets)
	cmd.Stdout, cmd.Stderr = stdout, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	story, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the stage: %w", err)
	}
	s := &stage{
		assets: assets, logs: logs, cmd: cmd, story: story,
		replies: bufio.NewReader(replies), done: make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		_ = cmd.Wait() // close looks at the state that this leaves
	}()
	return s, nil
}
