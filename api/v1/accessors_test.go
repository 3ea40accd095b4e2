package v1_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	projectionv1 "projection.sh/operator/api/v1"
)

// common is what a controller that serves both kinds needs of them.
type common interface {
	metav1.Object
	runtime.Object
	GetKind() string
	GetSource() projectionv1.SourceRef
	GetOverlay() projectionv1.Overlay
	GetDestinationName() string
	GetCommonStatus() *projectionv1.CommonStatus
	GetStatusConditions() *[]metav1.Condition
}

func TestBothKindsAreReadAndWrittenAlike(t *testing.T) {
	source := projectionv1.SourceRef{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "platform", Name: "app"}
	overlay := projectionv1.Overlay{Labels: map[string]string{"team": "a"}}
	for kind, object := range map[string]common{
		"Projection":        &projectionv1.Projection{Spec: projectionv1.ProjectionSpec{Source: source, Overlay: overlay}},
		"ClusterProjection": &projectionv1.ClusterProjection{Spec: projectionv1.ClusterProjectionSpec{Source: source, Overlay: overlay}},
	} {
		t.Run(kind, func(t *testing.T) {
			assert.Equal(t, kind, object.GetKind())
			assert.Equal(t, source, object.GetSource())
			assert.Equal(t, schema.GroupKind{Group: "apps", Kind: "Deployment"}, object.GetSource().GroupKind())
			assert.Equal(t, overlay, object.GetOverlay())
			assert.Equal(t, "app", object.GetDestinationName())

			meta.SetStatusCondition(object.GetStatusConditions(), metav1.Condition{Type: projectionv1.ConditionReady, Status: metav1.ConditionTrue})
			assert.True(t, meta.IsStatusConditionTrue(object.GetCommonStatus().Conditions, projectionv1.ConditionReady))
		})
	}
}

func TestDestinationNameOverridesTheSourceName(t *testing.T) {
	projection := projectionv1.Projection{Spec: projectionv1.ProjectionSpec{
		Source:      projectionv1.SourceRef{Name: "app"},
		Destination: projectionv1.ProjectionDestination{Name: "renamed"},
	}}
	assert.Equal(t, "renamed", projection.GetDestinationName())

	clusterProjection := projectionv1.ClusterProjection{Spec: projectionv1.ClusterProjectionSpec{
		Source:      projectionv1.SourceRef{Name: "app"},
		Destination: projectionv1.ClusterProjectionDestination{Name: "renamed"},
	}}
	assert.Equal(t, "renamed", clusterProjection.GetDestinationName())
}

func TestSchemeKnowsBothKindsAndTheirLists(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, projectionv1.AddToScheme(scheme))

	for _, kind := range []string{projectionv1.KindProjection, projectionv1.KindClusterProjection} {
		assert.True(t, scheme.Recognizes(projectionv1.GroupVersion.WithKind(kind)), kind)
		assert.True(t, scheme.Recognizes(projectionv1.GroupVersion.WithKind(kind+"List")), kind)
	}
}
