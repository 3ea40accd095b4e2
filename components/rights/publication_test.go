package rights_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/rights"
)

const certificates = "certificates.example.com"

// published is a publication of certificates whose Secrets come back, and with settings that the consumer has.
func published(direction v1alpha1.Direction, adapt ...func(*v1alpha1.PublishedResourceSpec)) rights.Publication {
	spec := v1alpha1.PublishedResourceSpec{Related: []v1alpha1.RelatedResource{
		{Name: "tls", Origin: v1alpha1.OriginService, Resource: v1alpha1.RelatedKind{Kind: "Secret"}},
		{Name: "settings", Origin: v1alpha1.OriginConsumer, Resource: v1alpha1.RelatedKind{Kind: "ConfigMap"}},
	}}
	for _, change := range adapt {
		change(&spec)
	}
	kind := schema.GroupKind{Group: "example.com", Kind: "Certificate"}
	return rights.Publication{Direction: direction, Kind: kind, Resource: plural(kind), Spec: spec}
}

func TestForPublications(t *testing.T) {
	alone := func(spec *v1alpha1.PublishedResourceSpec) {
		*spec = v1alpha1.PublishedResourceSpec{
			Definition: v1alpha1.DefinitionPolicy{Install: v1alpha1.InstallNever}, Status: v1alpha1.StatusSync{Sync: v1alpha1.StatusSyncNever},
			Naming: v1alpha1.ObjectNaming{CreateNamespaces: v1alpha1.CreateNever},
		}
	}
	for name, test := range map[string]struct {
		spec   v1alpha1.RemoteClusterSpec
		uses   []rights.Use
		of     rights.Publication
		wanted []string
	}{
		"of a consumer": {of: published(v1alpha1.Pull), wanted: []string{
			": get,list,watch configmaps", identity, ": create,patch,delete secrets", ": get,list,watch secrets",
			": create,patch customresourcedefinitions.apiextensions.k8s.io", ": get,list,watch customresourcedefinitions.apiextensions.k8s.io",
			": create events.events.k8s.io", ": get,list,watch " + certificates, ": patch " + certificates, ": patch certificates/status.example.com", lease,
		}},
		"of a consumer, which has little": {of: published(v1alpha1.Pull, alone), wanted: []string{
			identity, ": get,list,watch customresourcedefinitions.apiextensions.k8s.io", ": create events.events.k8s.io",
			": get,list,watch " + certificates, ": patch " + certificates, lease,
		}},
		"of a consumer, in some namespaces, with a definition that is deleted": {
			of: published(v1alpha1.Pull, alone, func(spec *v1alpha1.PublishedResourceSpec) {
				spec.Definition.Removal, spec.Filter.NamespaceSelector = v1alpha1.RemovalDeleteWhenEmpty, &v1.SourceSelector{}
			}), wanted: []string{
				": get,list,watch namespaces", identity, ": delete customresourcedefinitions.apiextensions.k8s.io",
				": get,list,watch customresourcedefinitions.apiextensions.k8s.io", ": create events.events.k8s.io",
				": get,list,watch " + certificates, ": patch " + certificates, lease,
			},
		},
		"of the service": {of: published(v1alpha1.Push), wanted: []string{
			": create,patch,delete configmaps", ": get,list,watch configmaps", ": create namespaces", identity, ": get,list,watch secrets",
			": get,list,watch customresourcedefinitions.apiextensions.k8s.io", ": create,patch,delete " + certificates, ": get,list,watch " + certificates, lease,
		}},
		"of the service, in namespaces": {spec: scoped("crm"), of: published(v1alpha1.Push, alone), wanted: []string{
			identity, ": get,list,watch customresourcedefinitions.apiextensions.k8s.io", ": get,list,watch " + certificates,
			"@crm: create,patch,delete " + certificates, lease,
		}},
		"in the name of a user": {
			spec: v1alpha1.RemoteClusterSpec{Impersonate: &v1alpha1.ClusterImpersonation{User: "hub"}}, of: published(v1alpha1.Pull), wanted: []string{
				": get,list,watch configmaps", identity, ": get,list,watch secrets", ": impersonate users[hub]",
				": create,patch customresourcedefinitions.apiextensions.k8s.io", ": get,list,watch customresourcedefinitions.apiextensions.k8s.io",
				": create events.events.k8s.io", ": get,list,watch " + certificates, lease,
				"hub: get configmaps", "hub: get,list,create,patch,delete secrets", "hub: get,patch " + certificates, "hub: patch certificates/status.example.com",
			},
		},
		"in the name of a user of each namespace": {
			spec: v1alpha1.RemoteClusterSpec{Impersonate: &v1alpha1.ClusterImpersonation{PerNamespace: "ns:{namespace}"}}, of: published(v1alpha1.Pull),
			wanted: []string{identity, lease},
		},
		"related objects that are not listed": {
			spec: v1alpha1.RemoteClusterSpec{Scope: v1alpha1.ClusterScope{Kinds: []string{"Certificate.example.com"}}},
			of:   published(v1alpha1.Push, func(spec *v1alpha1.PublishedResourceSpec) { spec.Naming.CreateNamespaces = v1alpha1.CreateNever }), wanted: []string{
				identity, ": get,list,watch customresourcedefinitions.apiextensions.k8s.io", ": create,patch,delete " + certificates, ": get,list,watch " + certificates, lease,
			},
		},
		"a kind that is not listed": {
			spec: v1alpha1.RemoteClusterSpec{Scope: v1alpha1.ClusterScope{Kinds: []string{"Secret"}}}, of: published(v1alpha1.Pull), wanted: []string{identity, lease},
		},
		"a direction that is not listed": {
			spec: v1alpha1.RemoteClusterSpec{Scope: v1alpha1.ClusterScope{Directions: []v1alpha1.Direction{v1alpha1.Push}}}, of: published(v1alpha1.Pull),
			wanted: []string{identity, lease},
		},
		"besides a rule that copies Secrets there": {uses: []rights.Use{pushed}, of: published(v1alpha1.Pull, alone), wanted: []string{
			": get,list,watch namespaces", identity, ": create,patch,delete secrets", ": get,list,watch secrets",
			": get,list,watch customresourcedefinitions.apiextensions.k8s.io", ": create events.events.k8s.io",
			": get,list,watch " + certificates, ": patch " + certificates, lease,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.ElementsMatch(t, test.wanted, described(rights.For(&v1alpha1.RemoteCluster{Spec: test.spec}, plural, test.uses, test.of)))
		})
	}
}
