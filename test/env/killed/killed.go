// Package killed kills operators right after their writes, in whichever cluster these are. The next operator has to reach the end that one reaches that
// is not killed.
package killed

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/failpoint"
	"projection.sh/operator/test/faults"
)

// maxWrites is more than any story takes.
const maxWrites = 25

// Scene is what an operator is killed in.
type Scene interface {
	// Given makes what there is before the story.
	Given()
	// Act is the story: what makes the operator write.
	Act()
	// Change changes the world while no operator runs.
	Change()
	// Problems returns what is not as it is to be in the end.
	Problems() []string
}

// Operator is an operator that is killed, and those that follow it.
type Operator struct {
	t       *testing.T
	start   func() *manager.InProcess
	members []*env.Environment
	present atomic.Pointer[manager.InProcess]
}

// New returns an operator that the function starts, and that has leases in the other clusters.
func New(t *testing.T, start func() *manager.InProcess, members ...*env.Environment) *Operator {
	t.Helper()
	return &Operator{t: t, start: start, members: members}
}

// Proxy returns a proxy to the cluster, which has the user's credentials for it. What passes it passes the failpoint of the present operator.
func (o *Operator) Proxy(cluster *env.Environment, user string) *faults.Proxy {
	o.t.Helper()
	config, err := cluster.ConfigFor(user, "system:masters")
	require.NoError(o.t, err)
	proxy, err := faults.NewProxy(env.Intercept(config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		return o.present.Load().Wrap(next).RoundTrip(request)
	}), 1)
	require.NoError(o.t, err)
	return proxy
}

// Begin starts an operator in the place of one that was killed.
func (o *Operator) Begin() {
	o.t.Helper()
	o.expireLeases()
	o.present.Store(o.start())
}

// Kill kills the operator. Another one can begin at once.
func (o *Operator) Kill() {
	o.t.Helper()
	o.present.Load().Kill()
	o.expireLeases()
}

// expireLeases does what three minutes do: the leases that the operator held in the other clusters are no longer valid.
func (o *Operator) expireLeases() {
	o.t.Helper()
	for _, member := range o.members {
		client := kubernetes.NewForConfigOrDie(member.Config).CoordinationV1()
		list, err := client.Leases(metav1.NamespaceAll).List(o.t.Context(), metav1.ListOptions{})
		require.NoError(o.t, err)
		for i := range list.Items {
			lease := &list.Items[i]
			if !strings.HasPrefix(lease.Name, "projection-") {
				continue
			}
			lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds = new(""), new(int32(1))
			_, err := client.Leases(lease.Namespace).Update(o.t.Context(), lease, metav1.UpdateOptions{})
			require.NoError(o.t, err)
		}
	}
}

// AtEveryWrite has the story happen again and again, each time in a scene of another name, and kills the operator at the next one of its writes.
func (o *Operator) AtEveryWrite(story string, scene func(name string) Scene) {
	o.t.Helper()
	for write, came := 1, true; came; write++ {
		require.Less(o.t, write, maxWrites, "the story does not end")
		s := scene(fmt.Sprintf("%s-%02d", story, write))
		s.Given()
		running := o.present.Load()
		running.Arm(write, failpoint.After)
		s.Act()
		if came = o.trips(s); !came {
			o.t.Logf("%s takes %d writes", story, write-1)
			require.Greater(o.t, write, len(o.members)+1, "the story has no writes in all clusters")
			return
		}
		o.Kill()
		s.Change()
		o.Begin()
		o.Settles(s)
	}
}

// Settles waits until everything is as it is to be.
func (o *Operator) Settles(s Scene) {
	o.t.Helper()
	require.EventuallyWithT(o.t, func(c *assert.CollectT) { assert.Empty(c, s.Problems()) }, env.Timeout, env.Interval)
}

// trips waits until the failpoint has tripped, and returns false if everything is as it is to be before that. Then it does not trip later, either.
func (o *Operator) trips(s Scene) (came bool) {
	o.t.Helper()
	running := o.present.Load()
	require.EventuallyWithT(o.t, func(c *assert.CollectT) {
		select {
		case <-running.Tripped():
			came = true
		default:
			require.Empty(c, s.Problems())
			assert.True(c, running.Disarm(), "the write that trips is under way")
		}
	}, env.Timeout, env.Interval)
	return came
}
