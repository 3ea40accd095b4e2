package publication_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/api/v1alpha1"
)

// permit sets the scope of the RemoteCluster of the member.
func (p *publishing) permit(scope v1alpha1.ClusterScope) {
	p.T.Helper()
	remote := &v1alpha1.RemoteCluster{}
	require.NoError(p.T, p.remotes.Get(p.T.Context(), client.ObjectKey{Name: remoteName}, remote))
	before := remote.DeepCopy()
	remote.Spec.Scope = scope
	require.NoError(p.T, p.remotes.Patch(p.T.Context(), remote, client.MergeFrom(before)))
}

// TestKindIsOutOfScope permits the kind, then the one of its Secret, and then no kind of both.
func TestKindIsOutOfScope(t *testing.T) {
	p := newPublishing(t)
	kind := "Certificate." + p.offered
	p.permit(v1alpha1.ClusterScope{Kinds: []v1alpha1.ScopeKind{kind}})
	p.publish(func(spec *v1alpha1.PublishedResourceSpec) {
		withRelated(spec)
		spec.Related[1].Required = false
	})
	object := p.create("www", `{secretName: tls, days: 90}`)
	assert.Contains(t, p.tells(object, v1alpha1.ReasonNotPermitted), "does not list the kind Secret in scope.kinds")
	copied := p.copyOf(object, anything)
	spec := copied.Object["spec"].(map[string]any) //nolint:forcetypeassert // it is one
	p.secret(hub, copied.GetNamespace(), spec["secretName"].(string), "issued")
	p.settle()
	p.holdsSecret(member, p.there.Home, "tls", "")
	p.permit(v1alpha1.ClusterScope{Kinds: []v1alpha1.ScopeKind{kind, "Secret"}})
	p.holdsSecret(member, p.there.Home, "tls", "issued")
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)

	p.permit(v1alpha1.ClusterScope{Kinds: []v1alpha1.ScopeKind{"Secret"}})
	p.says(v1alpha1.ConditionSynced, v1alpha1.ReasonNotPermitted)
	p.patch(object, `{"spec": {"days": 30}}`)
	p.patch(copied, `{"status": {"phase": "Issued"}}`, "status")
	p.settle()
	p.eventually(copied, has(int64(90), "spec", "days"))
	p.eventually(object, func(object *unstructured.Unstructured) bool { return object.Object["status"] == nil })
	p.permit(v1alpha1.ClusterScope{})
	p.eventually(copied, has(int64(30), "spec", "days"))
	p.eventually(object, has("Issued", "status", "phase"))
}

// TestNamespaceOfTheServiceIsOutOfScope permits the namespace of the copies late.
func TestNamespaceOfTheServiceIsOutOfScope(t *testing.T) {
	p := newReversed(t)
	p.permit(v1alpha1.ClusterScope{Namespaces: []string{"another"}})
	p.publish()
	object := p.create("www", `{days: 90}`)
	assert.Contains(t, p.tells(object, v1alpha1.ReasonNotPermitted), "of the copy in scope.namespaces")
	assert.Empty(t, p.copies(object))
	p.permit(v1alpha1.ClusterScope{})
	p.copyOf(object, anything)
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
}
