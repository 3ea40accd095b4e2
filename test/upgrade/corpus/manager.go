package corpus

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

// Manager is an operator of any version, as a process.
type Manager struct {
	*manager.Process

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
	process, err := manager.StartProcess(program, filepath.Join(os.TempDir(), user+".log"), "--kubeconfig="+kubeConfig,
		"--leader-election-namespace=projection-system", "--leader-election-lease-duration=5s")
	if err != nil {
		return nil, err
	}
	return &Manager{process, began, user}, nil
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

// Writes returns the requests that have changed something, but for events and the ConfigMap that describes the installation. The API
// server's refusal to apply over a foreign object is no change.
func Writes(requests []env.Request) []env.Request {
	var writes []env.Request
	for _, request := range requests {
		switch request.Verb {
		case "create", "update", "patch", "delete", "deletecollection":
			if request.Resource != "events" && request.Name != v1.ConfigMapInfo && request.Code < http.StatusMultipleChoices {
				writes = append(writes, request)
			}
		}
	}
	return writes
}
