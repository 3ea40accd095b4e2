package crash_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/faults"
)

// pair are two managers that run as processes, each with a user and a proxy of its own. The first one leads.
type pair struct {
	*world
	first, second replicaProcess
}

type replicaProcess struct {
	*manager.Process
	proxy *faults.Proxy
	user  string
}

// newPair returns two managers that serve a world with a rule that is in step.
func newPair(t *testing.T, lane string) *pair {
	t.Helper()
	w := newWorld(t, lane, v1.KindClusterProjection)
	w.namespace("leases", "")
	p := &pair{world: w}
	p.first = p.launch("first")
	require.Eventually(t, func() bool { return p.holder() != "" }, timeout, interval)
	p.second = p.launch("second")
	sourceAndRule(w)
	w.settles()
	return p
}

func (p *pair) launch(name string) replicaProcess {
	p.T.Helper()
	r := replicaProcess{user: p.lane + "-" + name}
	config, err := cluster.ConfigFor(r.user, "system:masters")
	require.NoError(p.T, err)
	r.proxy, err = faults.NewProxy(config, 1)
	require.NoError(p.T, err)
	p.T.Cleanup(r.proxy.Close)
	dir := p.T.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	require.NoError(p.T, env.WriteKubeConfig(kubeconfig, r.proxy.Config()))
	r.Process, err = manager.StartProcess(manager.Self, filepath.Join(dir, "log"),
		"--kubeconfig="+kubeconfig, "--watch-label-selector="+laneLabel+"="+p.lane, "--leader-election-namespace="+p.name("leases"),
		"--leader-election-lease-duration="+leaseDuration.String())
	require.NoError(p.T, err)
	p.T.Cleanup(func() {
		r.Kill()
		if p.T.Failed() {
			p.T.Logf("the log of %s:\n%s", r.user, r.Log())
		}
	})
	return r
}

// thawed lets the first go on, and returns when it has noticed that it leads no more.
func (p *pair) thawed() {
	p.T.Helper()
	require.NoError(p.T, p.first.Thaw())
	select {
	case <-p.first.Ended():
	case <-time.After(timeout):
		require.Fail(p.T, "the former leader goes on")
	}
}

// written returns the writes of the user that changed something other than the lease that it is elected by and events.
func (p *pair) written(mark env.AuditMark, user string) []string {
	p.T.Helper()
	requests := fixture.RequestsSince(p.T, cluster, mark, user)
	var made []string
	for _, request := range requests {
		election := request.Resource == "leases" && request.Namespace == p.name("leases")
		if isWrite(request) && request.Code < http.StatusMultipleChoices && !election && request.Resource != "events" {
			made = append(made, request.String())
		}
	}
	return made
}

// crowd makes so many namespaces that are targets.
func (p *pair) crowd(namespaces int) {
	p.T.Helper()
	for i := range namespaces {
		p.namespace(fmt.Sprintf("n%02d", i), p.id)
	}
}

// TestFrozenLeaderChangesNothingWhenItThaws freezes the leader in the middle of much work, and changes what is to be done.
func TestFrozenLeaderChangesNothingWhenItThaws(t *testing.T) {
	t.Parallel()
	const namespaces = 40
	p := newPair(t, "frozen-at-work")
	p.crowd(namespaces)
	p.settles()
	led, mark := p.holder(), fixture.Mark(t, cluster)
	stays := func(namespace string) bool {
		return namespace >= p.name(fmt.Sprintf("n%02d", namespaces/2)) && namespace <= p.name("n99")
	}
	hold := p.first.proxy.Hold(func(r faults.Request) bool { return r.Verb == "patch" && stays(r.Namespace) })
	p.editSource(`{"data":{"color":"blue"}}`)
	<-hold.Arrived() // one of the first copies of forty
	require.NoError(t, p.first.Freeze())
	require.Less(t, len(p.written(mark, p.first.user)), namespaces, "it had nothing more to write when it was frozen")
	p.group(two, false) // the first still plans a copy here,
	p.editSource(`{"data":{"color":"green"}}`)
	p.succeeds(led)
	mark = fixture.Mark(t, cluster)
	p.settles()
	for i := range namespaces / 2 {
		p.group(fmt.Sprintf("n%02d", i), false) // and here
	}
	p.settles()

	p.thawed()
	assert.Equal(t, http.StatusConflict, hold.Release(), "what was under way is written on a version that has passed")
	assert.Empty(t, p.written(mark, p.first.user))
	p.settles()
	p.editSource(`{"data":{"color":"violet"}}`)
	p.settles()
}

// TestCopyThatAFrozenLeaderCreatesTooLateIsRemoved delivers a write of the former leader when its successor has removed
// the last copy: the API server finds nothing there, and creates one.
func TestCopyThatAFrozenLeaderCreatesTooLateIsRemoved(t *testing.T) {
	tests := map[string]func(*pair){
		"the rule is deleted": func(p *pair) {
			rule := p.rule("rule")
			p.Delete(rule)
			require.Eventually(p.T, func() bool {
				return apierrors.IsNotFound(p.Client.Get(p.T.Context(), client.ObjectKeyFromObject(rule), rule))
			}, timeout, interval)
		},
		"the rule copies another kind": func(p *pair) {
			p.secret()
			p.patch(p.rule("rule"), `{"spec":{"source":{"kind":"Secret"}}}`)
		},
		"the namespace is no target": func(p *pair) { p.group(three, false) },
	}
	for name, meanwhile := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, "late-"+strings.ReplaceAll(name[4:], " ", "-"))
			led := p.holder()
			hold := p.first.proxy.Hold(func(r faults.Request) bool { return r.Verb == "patch" && r.Namespace == p.name(three) })
			p.group(three, true)
			<-hold.Arrived()
			require.NoError(t, p.first.Freeze())
			p.succeeds(led)
			p.settles() // the second has made the copy
			meanwhile(p)
			p.settles()

			require.Equal(t, http.StatusCreated, hold.Release(), "the late write creates a copy that nobody wants")
			p.settles()
			p.thawed()
			p.settles()
		})
	}
}
