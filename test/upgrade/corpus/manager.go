package corpus

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"projection.sh/operator/test/env"
)

// Manager is an operator of any version, as a process.
type Manager struct {
	cmd   *exec.Cmd
	began env.AuditMark
	user  string
}

// Start runs the program as the user, who has every right. It stands for election.
func Start(cluster *env.Environment, program, user string) (*Manager, error) {
	kubeConfig, err := cluster.KubeConfigFor(user, "system:masters")
	if err != nil {
		return nil, err
	}
	began, err := cluster.AuditMark()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(os.TempDir(), user+".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(program, "--kubeconfig="+kubeConfig, "--leader-election-namespace=projection-system",
		"--leader-election-lease-duration=5s", "--metrics-bind-address=0", "--health-probe-bind-address=0")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return &Manager{cmd: cmd, began: began, user: user}, nil
}

// Kill ends the process without a last word: it keeps the lease.
func (m *Manager) Kill() error { return m.end(syscall.SIGKILL) }

// Stop ends the process as a rollout does.
func (m *Manager) Stop() error { return m.end(syscall.SIGTERM) }

func (m *Manager) end(signal syscall.Signal) error {
	if err := m.cmd.Process.Signal(signal); err != nil {
		return err
	}
	_ = m.cmd.Wait() // it was told to end
	return nil
}

// Quiet waits until the manager has done what it has to do, and returns its requests so far.
func (m *Manager) Quiet(ctx context.Context, cluster *env.Environment) ([]env.Request, error) {
	return Quiet(ctx, cluster, m.began, m.user)
}

// silence is how long a manager makes no request that has nothing to do. It looks again at definitions three seconds after
// they have changed, or it has begun.
const silence = 4 * time.Second

// Quiet waits until the user has read a source, and then has made no request for a while. It returns the requests since
// the mark. Those for the lease are left out: they never end.
func Quiet(ctx context.Context, cluster *env.Environment, mark env.AuditMark, user string) ([]env.Request, error) {
	var requests []env.Request
	err := wait.PollUntilContextTimeout(ctx, silence, 2*time.Minute, false, func(context.Context) (bool, error) {
		all, err := cluster.RequestsSince(mark, user)
		if err != nil {
			return false, err
		}
		before := len(requests)
		requests = nil
		leads := false
		for _, request := range all {
			leads = leads || request.Verb == "get" && request.Namespace == "platform"
			if request.Resource != "leases" {
				requests = append(requests, request)
			}
		}
		return leads && len(requests) == before, nil
	})
	if err != nil {
		return requests, fmt.Errorf("%s does not come to rest: %w", user, err)
	}
	return requests, nil
}

// Writes returns the requests that have changed something, but for events. The API server's refusal to apply over a foreign
// object is no change.
func Writes(requests []env.Request) []env.Request {
	var writes []env.Request
	for _, request := range requests {
		switch request.Verb {
		case "create", "update", "patch", "delete", "deletecollection":
			if request.Resource != "events" && request.Code < http.StatusMultipleChoices {
				writes = append(writes, request)
			}
		}
	}
	return writes
}
