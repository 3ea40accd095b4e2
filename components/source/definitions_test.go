package source_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/source"
)

// resolves waits until the kind is served in the version.
func resolves(t *testing.T, resolver *source.Resolver, ref v1.SourceRef, version string) source.Kind {
	t.Helper()
	var kind source.Kind
	require.Eventuallyf(t, func() bool {
		var err error
		kind, err = resolver.Resolve(t.Context(), ref)
		return err == nil && kind.Version == version
	}, soon, tick, "%s is not resolved to %s", ref.Kind, version)
	return kind
}

func TestKindThatAppearsAfterTheFirstLook(t *testing.T) {
	resolver, ref := newResolver(t, cluster.Config), v1.SourceRef{Group: newGroup(), Kind: "Widget"}
	_, err := resolver.Resolve(t.Context(), ref)
	require.True(t, source.IsNotServed(err), "%v", err)

	define(t, ref.Group, "Widget", "v1")

	assert.Equal(t, "widgets", resolves(t, resolver, ref, "v1").Resource)
}

func TestKindThatOnlyALesserVersionHas(t *testing.T) {
	group := newGroup()
	define(t, group, "Gadget", "v1")
	define(t, group, "Widget", "v1beta1")
	resolver := newResolver(t, cluster.Config)
	resolves(t, resolver, v1.SourceRef{Group: group, Kind: "Gadget"}, "v1")

	kind := resolves(t, resolver, v1.SourceRef{Group: group, Kind: "Widget"}, "v1beta1")

	assert.Equal(t, schema.GroupVersionResource{Group: group, Version: "v1beta1", Resource: "widgets"}, kind.GroupVersionResource())
}

func TestPromotionIsFollowedOnceItIsReported(t *testing.T) {
	group := newGroup()
	definition := define(t, group, "Widget", "v1beta1")
	resolver, ref := newResolver(t, cluster.Config), v1.SourceRef{Group: group, Kind: "Widget"}
	resolves(t, resolver, ref, "v1beta1")

	definition, err := definitions().Get(t.Context(), definition.Name, metav1.GetOptions{})
	require.NoError(t, err)
	definition.Spec.Versions = append(definition.Spec.Versions, version("v1", false))
	_, err = definitions().Update(t.Context(), definition, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		resolver.DefinitionsChanged(group)
		kind, err := resolver.Resolve(t.Context(), ref)
		return err == nil && kind.Version == "v1"
	}, soon, tick)

	pinned := ref
	pinned.Version = "v1beta1"
	assert.True(t, resolves(t, resolver, pinned, "v1beta1").Pinned)
}

func TestKindThatIsRemovedIsAbsentOnceItIsReported(t *testing.T) {
	group := newGroup()
	definition := define(t, group, "Widget", "v1")
	resolver, ref := newResolver(t, cluster.Config), v1.SourceRef{Group: group, Kind: "Widget"}
	resolves(t, resolver, ref, "v1")

	require.NoError(t, definitions().Delete(t.Context(), definition.Name, metav1.DeleteOptions{}))

	require.Eventually(t, func() bool {
		resolver.DefinitionsChanged(group)
		_, err := resolver.Resolve(t.Context(), ref)
		return source.IsNotServed(err)
	}, soon, tick)
}

func TestKnownKindCostsNoRequest(t *testing.T) {
	config, err := cluster.ConfigFor("resolving", "system:masters")
	require.NoError(t, err)
	resolver := newResolver(t, config)
	_, err = resolver.Resolve(t.Context(), v1.SourceRef{Kind: "ConfigMap"})
	require.NoError(t, err)
	mark, err := cluster.AuditMark()
	require.NoError(t, err)

	for range 100 {
		_, err = resolver.Resolve(t.Context(), v1.SourceRef{Group: "apps", Kind: "Deployment"})
		require.NoError(t, err)
	}

	requests, err := cluster.RequestsSince(mark, "resolving")
	require.NoError(t, err)
	assert.Empty(t, requests)
}

func TestUnknownKindsDoNotMakeUsAskAllTheTime(t *testing.T) {
	config, err := cluster.ConfigFor("asking", "system:masters")
	require.NoError(t, err)
	resolver := newResolver(t, config)
	mark, err := cluster.AuditMark()
	require.NoError(t, err)

	for range 200 {
		_, err := resolver.Resolve(t.Context(), v1.SourceRef{Group: "nobody.example.com", Kind: "Widget"})
		require.True(t, source.IsNotServed(err), "%v", err)
	}

	requests, err := cluster.RequestsSince(mark, "asking")
	require.NoError(t, err)
	assert.NotEmpty(t, requests)
	assert.LessOrEqual(t, len(requests), 10, "%v", requests)
}
