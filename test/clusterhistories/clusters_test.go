package clusterhistories_test

import (
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
)

const (
	// nowhere is an address at which nobody listens.
	nowhere = "127.0.0.1:1"
	// underWay is how long a request may be under way that was sent before a cluster was closed.
	underWay = time.Second

	// cutOff and paused are why nothing may be written into a cluster.
	cutOff, paused = "it is cut off", "it is paused"
)

// editCluster changes what the world says of a cluster.
func (h *history) editCluster(name string, how func(*member), format string, args ...any) {
	h.change(func(w *world) {
		changed := w.clusters[name]
		how(&changed)
		w.clusters[name] = changed
	}, format, args...)
}

// cut breaks the connection to a cluster until it is healed.
func (h *history) cut() {
	name := pick(h, eastName, westName)
	if h.world.clusters[name].cut {
		h.healOne(name)
		return
	}
	h.clusters[name].remote.Relay.Switch(nowhere)
	h.editCluster(name, func(c *member) { c.cut = true }, "cut the cluster %s off", name)
	h.close(name, cutOff)
}

// replace has another cluster answer in the place of one, until it is healed.
func (h *history) replace() {
	if h.world.clusters[eastName].cut {
		h.healOne(eastName)
		return
	}
	h.clusters[eastName].remote.Relay.Switch(stranger.Address())
	h.editCluster(eastName, func(c *member) { c.cut, c.replaced = true, true }, "have another cluster answer in the place of %s", eastName)
	h.close(eastName, cutOff)
}

func (h *history) healOne(name string) {
	wasReplaced := h.world.clusters[name].replaced
	h.reopen(name, cutOff)
	h.editCluster(name, func(c *member) { c.cut, c.replaced = false, false }, "heal the cluster %s", name)
	h.healed[name] = time.Now()
	remote := h.clusters[name].remote
	remote.Relay.Switch(remote.Server())
	if wasReplaced {
		remote.SetKubeconfig() // until then, it is asked seldom
	}
}

// pause pauses a RemoteCluster, and waits until it says so.
func (h *history) pause() {
	name := pick(h, eastName, westName)
	if at := h.world.clusters[name]; at.undeclared || at.cut || at.paused {
		return
	}
	h.clusters[name].remote.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Spec.Paused = true })
	require.EventuallyWithT(h.t, func(c *assert.CollectT) {
		ready := meta.FindStatusCondition(h.clusters[name].remote.Get().Status.Conditions, v1alpha1.ConditionReady)
		require.NotNil(c, ready)
		assert.NotEqual(c, "True", string(ready.Status))
	}, env.Timeout, env.Interval, h.story())
	h.editCluster(name, func(c *member) { c.paused = true }, "pause the cluster %s", name)
	h.close(name, paused)
}

func (h *history) resume(name string) {
	h.reopen(name, paused)
	h.editCluster(name, func(c *member) { c.paused = false }, "resume the cluster %s", name)
	h.clusters[name].remote.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Spec.Paused = false })
}

// close notes that nothing may be written into the cluster from now on.
func (h *history) close(name, why string) {
	h.closed = append(h.closed, closure{cluster: name, why: why, from: time.Now().Add(underWay)})
}

// reopen notes that something may be.
func (h *history) reopen(name, why string) {
	for i := range h.closed {
		if c := &h.closed[i]; c.cluster == name && c.why == why && c.until.IsZero() {
			c.until = time.Now()
		}
	}
}

// relabel changes whether rules select the cluster.
func (h *history) relabel() {
	name := pick(h, eastName, westName)
	if h.world.clusters[name].undeclared {
		return
	}
	labelled := !h.world.clusters[name].labelled
	h.editCluster(name, func(c *member) { c.labelled = labelled }, "cluster %s is labelled: %t", name, labelled)
	h.clusters[name].remote.Edit(h.labels(labelled))
}

func (h *history) labels(labelled bool) func(*v1alpha1.RemoteCluster) {
	return func(remote *v1alpha1.RemoteCluster) {
		remote.Labels = nil
		if labelled {
			remote.Labels = h.label()
		}
	}
}

// exchange gives the operator other credentials for a cluster.
func (h *history) exchange() {
	name := pick(h, eastName, westName)
	h.did("exchange the credentials for the cluster %s", name)
	h.clusters[name].remote.SetKubeconfig()
}

// undeclare deletes a RemoteCluster.
func (h *history) undeclare() {
	name := pick(h, eastName, westName)
	if h.world.clusters[name].undeclared {
		return
	}
	h.editCluster(name, func(c *member) { c.undeclared = true }, "delete the RemoteCluster %s", name)
	h.clusters[name].remote.Delete()
	if _, found := h.clusters[name].remote.Find(); !found {
		h.editCluster(name, func(c *member) { c.gone = true }, "there is no RemoteCluster %s any more", name)
	}
}

// declare creates a RemoteCluster again, when the former one has ended.
func (h *history) declare(name string) {
	remote := h.clusters[name].remote
	remote.Gone()
	labelled := h.world.clusters[name].labelled
	h.reopen(name, paused)
	h.editCluster(name, func(c *member) { c.undeclared, c.paused, c.gone = false, false, false }, "create the RemoteCluster %s", name)
	remote.Create(h.labels(labelled))
}

// heal ends all that keeps the operator from its work.
func (h *history) heal() {
	for _, name := range []string{eastName, westName} {
		cluster := h.world.clusters[name]
		if cluster.cut {
			h.healOne(name)
		}
		if _, found := h.clusters[name].remote.Find(); found && cluster.paused {
			h.resume(name)
		}
		if cluster.undeclared {
			h.declare(name)
		}
	}
}

// restart stops the operator, and starts another one.
func (h *history) restart() {
	h.did("restart the operator")
	h.need(h.operator.Stop())
	h.startOperator()
}
