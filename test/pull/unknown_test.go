package pull_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
)

// TestNothingIsDeletedOnIgnoranceOfAnotherCluster has the source be unknown in several ways. Then it is edited, and the copy follows.
func TestNothingIsDeletedOnIgnoranceOfAnotherCluster(t *testing.T) {
	p := newPulling(t)
	source := p.there.Create(consenting)
	rule := p.pull(source)
	p.Ready(rule)
	address := p.target.Host
	for number, test := range []struct {
		reason    string
		lose, win func()
	}{
		{v1.ReasonSourceClusterUnreachable, func() { p.relay.Switch("127.0.0.1:1") }, func() { p.relay.Switch(address) }},
		{v1.ReasonSourceClusterChanged, func() { p.relay.Switch(replacement(t)) }, func() {
			p.relay.Switch(address)
			p.setKubeconfig() // until then, it is asked seldom
		}},
		{v1.ReasonSourceClusterNotFound, p.deleteRemote, func() { p.declare(func(*v1alpha1.RemoteClusterSpec) {}) }},
	} {
		test.lose()
		condition := p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, test.reason)
		assert.Contains(t, condition.Message, "copies are kept", test.reason)
		p.holds(source, bundle(number))
		p.there.Merge(source, fmt.Sprintf(`{"data": {"bundle": %q}}`, bundle(number+1)))
		test.win()
		p.Ready(rule)
		p.holds(source, bundle(number+1))
	}
}

func bundle(number int) string {
	if number == 0 {
		return "first"
	}
	return fmt.Sprintf("edit %d", number)
}

// replacement returns the address of an API server that has the certificates and users of the member, and other objects.
func replacement(t *testing.T) string {
	t.Helper()
	storage, err := env.AddressOf(hub.Storage())
	require.NoError(t, err)
	server, err := member.StartSecondServer(t.Context(), storage)
	require.NoError(t, err)
	t.Cleanup(server.Kill)
	return server.Address()
}

// TestMostSourcesVanishAtOnce has most sources of a cluster be deleted, as they are by a restore from an old backup.
func TestMostSourcesVanishAtOnce(t *testing.T) {
	const count, few = 30, 20
	p := newPulling(t)
	for i := range count {
		source := p.there.Object(consenting)
		source.SetName(fmt.Sprintf("roots-%d", i))
		require.NoError(t, p.there.Client.Create(t.Context(), source))
		p.pullAs(source.GetName(), source)
	}
	copies := func() int {
		var list corev1.ConfigMapList
		require.NoError(t, p.Client.List(t.Context(), &list, client.InNamespace(p.Away)))
		return len(list.Items)
	}
	require.Eventually(t, func() bool { return copies() == count }, env.Timeout, env.Interval)
	require.NoError(t, p.there.Client.DeleteAllOf(t.Context(), &corev1.ConfigMap{}, client.InNamespace(p.there.Home)))
	held := func() (held int) {
		var rules v1.ProjectionList
		require.NoError(t, p.Client.List(t.Context(), &rules, client.InNamespace(p.Away)))
		for i := range rules.Items {
			for _, condition := range rules.Items[i].Status.Conditions {
				if condition.Type == v1.ConditionReady && condition.Reason == v1.ReasonSourceDeleted {
					held++
				}
			}
		}
		return held
	}
	require.Eventually(t, func() bool { return held() == count }, env.Timeout, env.Interval)
	assert.GreaterOrEqual(t, copies(), count-few)
}

// TestMostSelectedSourcesVanishAtOnce has one rule select them.
func TestMostSelectedSourcesVanishAtOnce(t *testing.T) {
	const count = 30
	p := newPulling(t)
	var source *unstructured.Unstructured
	for i := range count {
		source = p.there.Object(consenting)
		source.SetName(fmt.Sprintf("roots-%d", i))
		source.SetLabels(map[string]string{"share": "yes"})
		require.NoError(t, p.there.Client.Create(t.Context(), source))
	}
	rule := p.pull(source, selecting)
	p.Ready(rule)
	copies := func() int {
		var list corev1.ConfigMapList
		require.NoError(t, p.Client.List(t.Context(), &list, client.InNamespace(p.Away)))
		return len(list.Items)
	}
	require.Equal(t, count, copies())
	require.NoError(t, p.there.Client.DeleteAllOf(t.Context(), &corev1.ConfigMap{}, client.InNamespace(p.there.Home)))
	condition := p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
	assert.Equal(t, "most sources in the cluster eu-1 have vanished at once, also some that this rule selects; copies are kept for some minutes; "+
		"if the cluster was restored from a backup, create the sources again; if they were deleted on purpose, wait", condition.Message)
	assert.GreaterOrEqual(t, copies(), count-20)
}
