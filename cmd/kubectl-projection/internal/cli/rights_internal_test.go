package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata/fake"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/rights"
)

func TestRightsOfRules(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, metav1.AddMetaToScheme(scheme))
	namespace := &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{"team": "shop"}},
	}
	cluster := &access.Cluster{Metadata: fake.NewSimpleMetadataClient(scheme, namespace)}
	const notAllowed = "spec.allowedNamespaces of the RemoteCluster does not select its namespace"
	selects := func(team string) *v1.NamespaceSelector {
		return &v1.NamespaceSelector{MatchLabels: map[string]v1.LabelValue{"team": team}}
	}
	for name, test := range map[string]struct {
		spec   v1alpha1.RemoteClusterSpec
		rule   access.Rule
		wanted string
	}{
		"no namespace is allowed":           {rule: pulling("shop", "Secret"), wanted: notAllowed},
		"the namespace is allowed":          {spec: v1alpha1.RemoteClusterSpec{AllowedNamespaces: selects("shop")}, rule: pulling("shop", "Secret")},
		"another namespace is allowed":      {spec: v1alpha1.RemoteClusterSpec{AllowedNamespaces: selects("pay")}, rule: pulling("shop", "Secret"), wanted: notAllowed},
		"the namespace does not exist":      {spec: v1alpha1.RemoteClusterSpec{AllowedNamespaces: selects("shop")}, rule: pulling("none", "Secret"), wanted: notAllowed},
		"all namespaces are allowed":        {spec: v1alpha1.RemoteClusterSpec{AllowedNamespaces: &v1.NamespaceSelector{}}, rule: pulling("shop", "Secret")},
		"a ClusterProjection needs nothing": {rule: pulling("", "Secret")},
		"outside of the scope": {
			spec: v1alpha1.RemoteClusterSpec{Scope: v1alpha1.ClusterScope{Kinds: []string{"ConfigMap"}}}, rule: pulling("", "Secret"),
			wanted: "spec.scope or spec.impersonate of the RemoteCluster does not permit it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			why, err := whyLeftOut(t.Context(), cluster, &v1alpha1.RemoteCluster{Spec: test.spec}, test.rule)
			require.NoError(t, err)
			assert.Equal(t, test.wanted, why)
		})
	}
}

func TestRightsOfPushes(t *testing.T) {
	remote := &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: "eu-1"}}
	secrets := rights.Use{Direction: v1alpha1.Push, Kind: schema.GroupKind{Kind: "Secret"}}
	roles := rights.Use{Direction: v1alpha1.Push, Kind: schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "Role"}}

	named := pushing("eu-1")
	found := &rightsReport{remote: remote}
	assert.Equal(t, []rights.Use{secrets}, found.pushes([]access.Rule{named}))
	assert.Equal(t, []string{"ClusterProjection pushed"}, found.rules)

	named.Object.SetAnnotations(map[string]string{v1.AnnotationWrittenKinds: "Secret,Role.rbac.authorization.k8s.io", v1.AnnotationWrittenClusters: "eu-2=a"})
	assert.Equal(t, []rights.Use{secrets}, pushesOf(named, "eu-1"), "what it has written elsewhere does not count")
	named.Object.GetAnnotations()[v1.AnnotationWrittenClusters] = "eu-2=a,eu-1=b"
	assert.Equal(t, []rights.Use{secrets, roles}, pushesOf(named, "eu-1"), "it deletes what it has written there")
	assert.Equal(t, []rights.Use{secrets}, found.pushes([]access.Rule{named}), "roles have to be listed")
	assert.Equal(t, []string{"ClusterProjection pushed"}, found.rules, "once")

	remote.Spec.Scope.Directions = []v1alpha1.Direction{v1alpha1.Pull}
	assert.Empty(t, found.pushes([]access.Rule{named}))
	assert.Equal(t, []string{"ClusterProjection pushed: " + outOfScope}, found.leftOut)

	assert.Equal(t, []access.Rule{named}, pushesInto([]access.Rule{pushing("eu-2"), named, pulling("", "Secret")}, remote))
}

// pushing returns a ClusterProjection that copies into the cluster.
func pushing(into string) access.Rule {
	return access.Rule{
		Identity: owner.Identity{Kind: owner.ClusterProjection, Name: "pushed"}, Object: &v1.ClusterProjection{},
		Spec:     owner.Spec{Source: v1.SourceRef{Kind: "Secret", Namespace: "platform", Name: "registry"}},
		Clusters: &v1.ClusterTargets{Names: []string{into}},
	}
}

// pulling returns a rule of the namespace whose source is in eu-1, or a ClusterProjection.
func pulling(namespace, kind string) access.Rule {
	source := v1.SourceRef{Kind: kind, Namespace: "db", Name: "settings"}
	if namespace == "" {
		return access.Rule{
			Identity: owner.Identity{Kind: owner.ClusterProjection, Name: "rule"}, Object: &v1.ClusterProjection{},
			Spec: owner.Spec{Source: source}, SourceCluster: "eu-1",
		}
	}
	return access.Rule{
		Identity: owner.Identity{Kind: owner.Projection, Namespace: namespace, Name: "rule"}, Object: &v1.Projection{},
		Spec: owner.Spec{Source: source}, SourceCluster: "eu-1",
	}
}
