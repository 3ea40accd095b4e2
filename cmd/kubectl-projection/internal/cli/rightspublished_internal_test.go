package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/rights"
)

// TestRightsOfPublications has the RemoteCluster be that of a consumer, which sees other names, or of the service, or be named for neither.
func TestRightsOfPublications(t *testing.T) {
	certificate := schema.GroupKind{Group: "cert-manager.io", Kind: "Certificate"}
	certificates := schema.GroupResource{Group: certificate.Group, Resource: "certificates"}
	resolve := func(kind schema.GroupKind) schema.GroupResource {
		assert.Equal(t, certificate, kind)
		return certificates
	}
	offered := func(adapt func(*v1alpha1.PublishedResourceSpec)) *v1alpha1.PublishedResource {
		published := &v1alpha1.PublishedResource{ObjectMeta: metav1.ObjectMeta{Name: "certificates"}}
		published.Spec.Service.Resource = v1alpha1.PublishedKind{Group: certificate.Group, Kind: certificate.Kind}
		published.Spec.Consumers.Clusters = v1.ClusterTargets{Selector: &v1.ClusterSelector{MatchLabels: map[string]v1.LabelValue{"certs": "on"}}}
		adapt(&published.Spec)
		return published
	}
	consumer := &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: "eu-1", Labels: map[string]string{"certs": "on"}}}
	for name, test := range map[string]struct {
		projection v1alpha1.APIProjection
		kind       schema.GroupKind
		resource   string
	}{
		"as the service has it": {kind: certificate, resource: "certificates"},
		"another group": {
			projection: v1alpha1.APIProjection{Group: "example.com"}, kind: schema.GroupKind{Group: "example.com", Kind: "Certificate"}, resource: "certificates",
		},
		"another kind": {
			projection: v1alpha1.APIProjection{Kind: "Policy"}, kind: schema.GroupKind{Group: "cert-manager.io", Kind: "Policy"}, resource: "policies",
		},
		"another plural": {
			projection: v1alpha1.APIProjection{Kind: "Zertifikat", Plural: "zertifikate"}, kind: schema.GroupKind{Group: "cert-manager.io", Kind: "Zertifikat"},
			resource: "zertifikate",
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := &rightsReport{remote: consumer}
			published := offered(func(spec *v1alpha1.PublishedResourceSpec) { spec.Projection = test.projection })
			assert.Equal(t, []rights.Publication{{
				Direction: v1alpha1.Pull, Kind: test.kind, Resource: schema.GroupResource{Group: test.kind.Group, Resource: test.resource}, Spec: published.Spec,
			}}, found.publicationsOf(published, resolve))
			assert.Equal(t, []string{"certificates"}, found.published)
		})
	}

	found := &rightsReport{remote: &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: "services"}}}
	served := offered(func(spec *v1alpha1.PublishedResourceSpec) {
		spec.Service.Cluster, spec.Naming.RemoveNamespaces = "services", v1alpha1.RemoveWhenEmpty
	})
	assert.Equal(t, []rights.Publication{{Direction: v1alpha1.Push, Kind: certificate, Resource: certificates, Spec: served.Spec}},
		found.publicationsOf(served, resolve))
	assert.Equal(t, []string{"PublishedResource certificates: " + listsAll}, found.leftOut)
	assert.Empty(t, found.publicationsOf(offered(func(*v1alpha1.PublishedResourceSpec) {}), resolve), "it is for other clusters")

	found = &rightsReport{remote: consumer.DeepCopy()}
	found.remote.Spec.Scope.Kinds = []string{"Secret"}
	assert.Empty(t, found.publicationsOf(offered(func(*v1alpha1.PublishedResourceSpec) {}), resolve))
	assert.Equal(t, []string{"PublishedResource certificates: " + outOfScope}, found.leftOut)
}
