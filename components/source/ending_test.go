package source_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/source"
)

func TestKindThatIsBeingRemovedIsRefused(t *testing.T) {
	group := newGroup()
	define(t, group, "Widget", "v1")
	resolver, ref := newResolver(t, cluster.Config), v1.SourceRef{Group: group, Kind: "Widget"}
	resolves(t, resolver, ref, "v1")
	widgets := schema.GroupResource{Group: group, Resource: "widgets"}

	resolver.SetTerminating(widgets, true)
	_, err := resolver.Resolve(t.Context(), ref)
	require.True(t, source.IsKindError(err), "%v", err)
	assert.False(t, source.IsNotServed(err), "there may still be copies")
	require.EqualError(t, err, "somebody is deleting the CustomResourceDefinition of Widget; create it again, or delete this rule")
	_, err = resolver.Resolve(t.Context(), v1.SourceRef{Kind: "ConfigMap"})
	require.NoError(t, err, "other kinds stay")

	resolver.SetTerminating(widgets, false)
	resolves(t, resolver, ref, "v1")

	resolver.SetTerminating(widgets, true)
	resolver.ResetTerminating()
	resolves(t, resolver, ref, "v1")
}
