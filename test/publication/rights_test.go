package publication_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/rights"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// TestPermissionsForPublications has an operator with these permissions install a kind, copy objects and related ones, bring the status back, and delete
// all of it. No request is refused, and no permission is left over.
func TestPermissionsForPublications(t *testing.T) {
	t.Run("of a consumer", func(t *testing.T) {
		p := newPublishing(t)
		spec := p.spec(withRelated, func(spec *v1alpha1.PublishedResourceSpec) {
			spec.Definition.Removal, spec.Filter.NamespaceSelector = v1alpha1.RemovalDeleteWhenEmpty, selecting("certs")
		})
		certs := []byte(`{"metadata": {"labels": {"certs": "on"}}}`)
		_, err := clientset(member).CoreV1().Namespaces().Patch(t.Context(), p.there.Home, types.MergePatchType, certs, metav1.PatchOptions{})
		require.NoError(t, err)
		p.permitted(hub, member, rights.Publication{Direction: v1alpha1.Pull, Kind: schema.GroupKind{Group: p.offered, Kind: "Certificate"}, Spec: spec})
	})
	t.Run("of the service", func(t *testing.T) {
		p := newReversed(t)
		spec := p.spec(withRelated, func(spec *v1alpha1.PublishedResourceSpec) { spec.Naming.Namespace = "'" + p.name + "'" }) // it is created
		p.permitted(member, hub, rights.Publication{
			Direction: v1alpha1.Push, Kind: schema.GroupKind{Group: p.group, Kind: "Certificate"}, Spec: spec,
		})
	})
}

// notInThisTest are permissions that other stories need, or without which an apply creates nothing. Kinds are listed by watches, unless an API server does
// not support that.
var notInThisTest = []string{
	"create leases", "update leases", "get leases", "patch leases", "list customresourcedefinitions", "list namespaces", "list certificates", "list secrets",
	"create customresourcedefinitions", "create certificates", "create secrets", "get certificates",
}

// permitted has the operator be another user in the member, who may do what the publication needs, and no more, and tells the story.
func (p *publishing) permitted(service, consumer *env.Environment, publication rights.Publication) {
	p.T.Helper()
	served := func(kind schema.GroupKind) schema.GroupResource {
		return schema.GroupResource{Group: kind.Group, Resource: strings.ToLower(kind.Kind) + "s"}
	}
	publication.Resource = served(publication.Kind)
	remote := &v1alpha1.RemoteCluster{}
	require.NoError(p.T, p.remotes.Get(p.T.Context(), client.ObjectKey{Name: remoteName}, remote))
	grants := rights.For(remote, served, nil, publication)
	user := "projection-" + p.name
	fixture.New(p.T, member.Config).Permit(user, grants)
	p.user, p.groups = user, nil
	mark := fixture.Mark(p.T, member)
	p.setKubeconfig()
	require.Eventually(p.T, func() bool { return len(fixture.RequestsSince(p.T, member, mark, user)) > 0 }, env.Timeout, env.Interval)

	resource := p.publish(func(spec *v1alpha1.PublishedResourceSpec) { *spec = publication.Spec })
	p.secret(consumer, p.there.Home, "password", "first")
	object := p.create("www", `{secretName: tls, passwordName: password, days: 90}`)
	copied := p.copyOf(object, anything)
	p.patch(copied, `{"status": {"phase": "Issued"}}`, "status")
	p.eventually(object, has("Issued", "status", "phase"))
	issued, _, _ := unstructured.NestedString(copied.Object, "spec", "secretName")
	p.secret(service, copied.GetNamespace(), issued, "issued")
	p.holdsSecret(consumer, p.there.Home, "tls", "issued")
	p.patch(object, `{"spec": {"days": 30}}`)
	p.copyOf(object, has(int64(30), "spec", "days"))
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
	p.delete(object)
	p.gone(object)
	p.noCopy(object)
	p.unpublish(resource)
	if publication.Spec.Definition.Removal == v1alpha1.RemovalDeleteWhenEmpty {
		require.EventuallyWithT(p.T, func(c *assert.CollectT) {
			_, err := p.consumer.Resource(definitionKind).Get(p.T.Context(), "certificates."+p.offered, metav1.GetOptions{})
			assert.True(c, apierrors.IsNotFound(err))
		}, env.Timeout, env.Interval)
	}
	fixture.UsesAll(p.T, fixture.RequestsSince(p.T, member, mark, user), grants, notInThisTest)
}
