package push_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/remotes"
)

// pushing is a test with two RemoteClusters, east and west, and a namespace of the test in each.
type pushing struct {
	*fixture.World // in the hub

	east, west *place
}

// place is a cluster that copies are written into.
type place struct {
	*remotes.Remote
	*fixture.World

	namespace string
}

func newPushing(t *testing.T) *pushing {
	t.Helper()
	p := &pushing{World: fixture.New(t, hub.Config)}
	p.east = &place{World: fixture.NewEmpty(t, east.Config), namespace: p.Away}
	p.west = &place{World: fixture.NewEmpty(t, west.Config), namespace: p.Away}
	for _, member := range []*place{p.east, p.west} {
		member.OwnNamespace(p.Away)
	}
	tier := func(remote *v1alpha1.RemoteCluster) { remote.Labels = map[string]string{"tier": "prod"} }
	p.east.Remote = remotes.Declare(t, hub, east, "east", tier)
	p.west.Remote = remotes.Declare(t, hub, west, "west", tier)
	return p
}

func namespaceOf(name string) client.Object {
	namespace := &unstructured.Unstructured{}
	namespace.SetAPIVersion("v1")
	namespace.SetKind("Namespace")
	namespace.SetName(name)
	return namespace
}

// consenting is a ConfigMap in the namespace of the sources whose owner consents.
const consenting = `
apiVersion: v1
kind: ConfigMap
metadata:
  namespace: $HOME
  name: settings
  annotations: {projection.sh/projectable: "true", projection.sh/exportable: "true"}
data: {color: red}`

// push creates a ClusterProjection that copies the object into the namespace of the test in both clusters.
func (p *pushing) push(source *unstructured.Unstructured, adapt ...func(*v1.ClusterProjection)) *v1.ClusterProjection {
	p.T.Helper()
	rule := &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: p.Away}, Spec: v1.ClusterProjectionSpec{
		Source: fixture.RefTo(source),
		Destination: v1.ClusterProjectionDestination{
			Clusters: &v1.ClusterTargets{Names: []v1.ClusterName{"east", "west"}}, Namespaces: []v1.NamespaceName{p.Away},
		},
	}}
	for _, change := range adapt {
		change(rule)
	}
	require.NoError(p.T, p.Client.Create(p.T.Context(), rule))
	p.T.Cleanup(func() {
		p.Delete(rule)
		p.World.Gone(rule)
	})
	return rule
}

// pair are the two clusters.
func (p *pushing) pair() []*place { return []*place{p.east, p.west} }

// both waits until the copies in both clusters have the data.
func (p *pushing) both(like *unstructured.Unstructured, color string) {
	p.T.Helper()
	for _, member := range p.pair() {
		member.holds(like, color)
	}
}

// fails waits until the rule says that something is wrong, and returns what it says of the cluster east.
func (p *pushing) fails(rule *v1.ClusterProjection, reason string) v1.ClusterFailure {
	p.T.Helper()
	p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, reason)
	var found v1.ClusterFailure
	p.Eventually(rule, func() bool {
		require.NoError(p.T, p.Client.Get(p.T.Context(), client.ObjectKeyFromObject(rule), rule))
		at := slices.IndexFunc(rule.Status.ClusterFailures, func(failure v1.ClusterFailure) bool { return failure.Cluster == "east" })
		if at >= 0 {
			found = rule.Status.ClusterFailures[at]
		}
		return at >= 0
	}, "the rule says nothing of the cluster east")
	return found
}

// cut breaks the connection to the cluster, and keeps others from being opened.
func (p *place) cut() { p.Relay.Switch("127.0.0.1:1") }

// heal ends what cut began.
func (p *place) heal() {
	p.World.T.Helper()
	p.Relay.Switch(p.Server())
}

// lacks waits until there is no such copy.
func (p *place) lacks(like *unstructured.Unstructured) {
	p.World.T.Helper()
	gone := like.DeepCopy()
	gone.SetNamespace(p.namespace)
	p.World.Gone(gone)
}

// writesSince returns what the operator has changed in the cluster since the mark, but for its lease. To ask for permissions changes nothing.
func (p *place) writesSince(mark env.AuditMark) (writes []string) {
	p.World.T.Helper()
	for _, request := range fixture.RequestsSince(p.World.T, p.Cluster, mark, remotes.User) {
		if request.Resource != "leases" && request.Resource != "selfsubjectaccessreviews" && !slices.Contains([]string{"get", "list", "watch"}, request.Verb) {
			writes = append(writes, request.Verb+" "+request.Name)
		}
	}
	slices.Sort(writes)
	return writes
}

// listsSince returns which lists of all copies the operator has made in the cluster since the mark. For a rule that is deleted, it lists those of the rule.
func (p *place) listsSince(mark env.AuditMark) (lists []string) {
	p.World.T.Helper()
	for _, request := range fixture.RequestsSince(p.World.T, p.Cluster, mark, remotes.User) {
		if request.Verb == "list" && !strings.Contains(request.URI, "%3D") {
			lists = append(lists, request.Resource)
		}
	}
	return lists
}

// holds waits until the copy in the cluster has the data.
func (p *place) holds(like *unstructured.Unstructured, color string) *unstructured.Unstructured {
	p.World.T.Helper()
	return p.Exists(like, p.namespace, like.GetName(), func(copied *unstructured.Unstructured) bool {
		found, _, _ := unstructured.NestedString(copied.Object, "data", "color")
		return found == color
	})
}
