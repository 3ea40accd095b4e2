package push_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/remotes"
)

// TestRemoteClusterDecidesWhatIsWritten narrows what one RemoteCluster permits. The copy there stays as it is, and follows when it is permitted again.
func TestRemoteClusterDecidesWhatIsWritten(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	for _, test := range []struct {
		color, says, reason string
		narrow              func(*v1alpha1.RemoteClusterSpec)
	}{
		{"blue", "the RemoteCluster east is paused", v1.ReasonClusterNotPermitted, func(spec *v1alpha1.RemoteClusterSpec) { spec.Paused = true }},
		{"green", "the RemoteCluster east does not permit that objects are copied into it", v1.ReasonClusterNotPermitted, func(spec *v1alpha1.RemoteClusterSpec) {
			spec.Scope.Directions = []v1alpha1.Direction{v1alpha1.Pull}
		}},
		{"yellow", "the RemoteCluster east does not permit that objects of the kind ConfigMap are copied into it", v1.ReasonClusterNotPermitted,
			func(spec *v1alpha1.RemoteClusterSpec) { spec.Scope.Kinds = []v1alpha1.ScopeKind{"Secret"} }},
		{"brown", "the RemoteCluster east does not permit copies in the namespace; add it to its scope.namespaces", v1.ReasonDestinationCreateFailed,
			func(spec *v1alpha1.RemoteClusterSpec) { spec.Scope.Namespaces = []v1.NamespaceName{"default"} }},
		{"pink", "the RemoteCluster east impersonates a user for each namespace, and a ClusterProjection has none", v1.ReasonClusterNotPermitted,
			func(spec *v1alpha1.RemoteClusterSpec) {
				spec.Impersonate = &v1alpha1.ClusterImpersonation{PerNamespace: "projection:ns:{namespace}"}
			}},
	} {
		var before v1alpha1.RemoteClusterSpec
		mark := fixture.Mark(t, east)
		p.east.Edit(func(remote *v1alpha1.RemoteCluster) {
			before = *remote.Spec.DeepCopy()
			test.narrow(&remote.Spec)
		})
		assert.Contains(t, p.fails(rule, test.reason).Message, test.says)
		p.Merge(source, `{"data": {"color": "`+test.color+`"}}`)
		p.west.holds(source, test.color)
		p.east.World.Settles(east, remotes.User)
		assert.Empty(t, p.east.writesSince(mark), test.says)
		p.east.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Spec = before })
		p.east.holds(source, test.color)
		p.Ready(rule)
	}
}

// asPlatform has the operator write in the name of a user.
func asPlatform(remote *v1alpha1.RemoteCluster) {
	remote.Spec.Impersonate = &v1alpha1.ClusterImpersonation{User: "projection:platform"}
}

// permit lets a subject use ConfigMaps in the namespace.
func permit(t *testing.T, config *rest.Config, namespace string, subject rbacv1.Subject) {
	t.Helper()
	rbac := kubernetes.NewForConfigOrDie(config).RbacV1()
	_, err := rbac.Roles(namespace).Create(t.Context(), &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "user"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"*"}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = rbac.RoleBindings(namespace).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "user"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "user"},
		Subjects: []rbacv1.Subject{subject},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// TestCopiesAreWrittenInTheNameOfTheUser has one RemoteCluster impersonate a user who may do nothing at first. The rule has a service account of the hub.
func TestCopiesAreWrittenInTheNameOfTheUser(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	permit(t, hub.Config, p.Home, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: p.Home, Name: "reader"})
	p.World.Create(`{apiVersion: v1, kind: ServiceAccount, metadata: {namespace: $HOME, name: reader}}`)
	mark := fixture.Mark(t, east)
	rule := p.push(source, func(rule *v1.ClusterProjection) {
		rule.Spec.ServiceAccount = &v1.ServiceAccountRef{Namespace: p.Home, Name: "reader"}
		rule.Spec.Destination.Clusters.Names = []v1.ClusterName{"east"}
	})
	assert.Contains(t, p.fails(rule, v1.ReasonRuleInvalid).Message, "the service account "+p.Home+":reader is one of this cluster, and nothing can be written "+
		"in its name in the cluster east")
	require.Empty(t, p.east.writesSince(mark))

	p.east.Edit(asPlatform)
	assert.Contains(t, p.fails(rule, v1.ReasonDestinationCreateFailed).Message, "projection:platform")
	permit(t, east.Config, p.Away, rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: "projection:platform"})
	p.Merge(source, `{"data": {"color": "blue"}}`)
	p.east.holds(source, "blue")
	p.Ready(rule)
	for _, request := range fixture.RequestsSince(t, east, mark, remotes.User) {
		if request.Resource == "configmaps" && request.Verb != "list" && request.Verb != "watch" {
			assert.Equal(t, "projection:platform", request.As, request)
		}
	}
	p.Delete(rule)
	p.World.Gone(rule)
	p.east.lacks(source)
}

// TestAnotherClusterUnderTheNameGetsNothing has another API server answer in place of one cluster.
func TestAnotherClusterUnderTheNameGetsNothing(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	another, err := east.StartSecondServer(t.Context(), storageOf(t, west.Storage()))
	require.NoError(t, err)
	t.Cleanup(another.Kill)
	mark, err := another.AuditMark()
	require.NoError(t, err)
	p.east.Relay.Switch(another.Address())
	assert.Contains(t, p.fails(rule, v1.ReasonClusterChanged).Message, "another cluster answers in place of east")
	p.Merge(source, `{"data": {"color": "blue"}}`)
	p.west.holds(source, "blue")
	requests, err := another.RequestsSince(mark, remotes.User)
	require.NoError(t, err)
	for _, request := range requests {
		assert.Equal(t, "get", request.Verb, request)
	}
	p.east.heal()
	p.east.SetKubeconfig() // until then, it is asked seldom
	p.east.holds(source, "blue")
	p.Ready(rule)
}

// TestWhatIsNotPermittedEndsNevertheless narrows what a RemoteCluster permits. Copies are deleted there all the same.
func TestWhatIsNotPermittedEndsNevertheless(t *testing.T) {
	for name, end := range map[string]func(p *pushing, source *unstructured.Unstructured, rule *v1.ClusterProjection){
		"opted out": func(p *pushing, source *unstructured.Unstructured, _ *v1.ClusterProjection) {
			p.Merge(source, `{"metadata": {"annotations": {"projection.sh/exportable": "false"}}}`)
		},
		"another cluster": func(p *pushing, _ *unstructured.Unstructured, rule *v1.ClusterProjection) {
			p.Merge(rule, `{"spec": {"destination": {"clusters": {"names": ["west"]}}}}`)
		},
		"rule deleted": func(p *pushing, _ *unstructured.Unstructured, rule *v1.ClusterProjection) {
			p.Delete(rule)
			p.World.Gone(rule)
		},
		"RemoteCluster deleted": func(p *pushing, _ *unstructured.Unstructured, _ *v1.ClusterProjection) {
			p.east.Remote.Delete()
			p.ends(p.east.Remote)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPushing(t)
			source := p.World.Create(consenting)
			rule := p.push(source)
			p.Ready(rule)
			p.east.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Spec.Scope.Kinds = []v1alpha1.ScopeKind{"Secret"} })
			assert.Contains(t, p.fails(rule, v1.ReasonClusterNotPermitted).Message, "does not permit that objects of the kind ConfigMap")
			end(p, source, rule)
			p.east.lacks(source)
		})
	}
}
