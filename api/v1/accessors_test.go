package v1_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
)

// common is what a controller that serves both kinds needs of them.
type common interface {
	metav1.Object
	runtime.Object
	GetKind() string
	GetSource() v1.SourceRef
	GetOverlay() v1.Overlay
	GetContent() v1.Content
	GetCopyKind() string
	GetDestinationName() string
	GetCommonStatus() *v1.CommonStatus
	GetStatusConditions() *[]metav1.Condition
}

func TestBothKindsAreReadAndWrittenAlike(t *testing.T) {
	source := v1.SourceRef{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "platform", Name: "app"}
	overlay := v1.Overlay{Labels: map[string]string{"team": "a"}}
	content := v1.Content{Labels: v1.KeyFilter{Include: []string{"team"}}}
	for kind, object := range map[string]common{
		"Projection":        &v1.Projection{Spec: v1.ProjectionSpec{Source: source, Overlay: overlay, Content: content}},
		"ClusterProjection": &v1.ClusterProjection{Spec: v1.ClusterProjectionSpec{Source: source, Overlay: overlay, Content: content}},
	} {
		t.Run(kind, func(t *testing.T) {
			assert.Equal(t, kind, object.GetKind())
			assert.Equal(t, source, object.GetSource())
			assert.Equal(t, schema.GroupKind{Group: "apps", Kind: "Deployment"}, object.GetSource().GroupKind())
			assert.Equal(t, overlay, object.GetOverlay())
			assert.Equal(t, content, object.GetContent())
			assert.Equal(t, "app", object.GetDestinationName())

			meta.SetStatusCondition(object.GetStatusConditions(), metav1.Condition{Type: v1.ConditionReady, Status: metav1.ConditionTrue})
			assert.True(t, meta.IsStatusConditionTrue(object.GetCommonStatus().Conditions, v1.ConditionReady))
		})
	}
}

func TestDestinationNameOverridesTheSourceName(t *testing.T) {
	projection := v1.Projection{Spec: v1.ProjectionSpec{
		Source:      v1.SourceRef{Name: "app"},
		Destination: v1.ProjectionDestination{Name: "renamed"},
	}}
	assert.Equal(t, "renamed", projection.GetDestinationName())

	clusterProjection := v1.ClusterProjection{Spec: v1.ClusterProjectionSpec{
		Source:      v1.SourceRef{Name: "app"},
		Destination: v1.ClusterProjectionDestination{Name: "renamed"},
	}}
	assert.Equal(t, "renamed", clusterProjection.GetDestinationName())
}

func TestKindOfCopiesIsNamedIfItIsAnother(t *testing.T) {
	for _, test := range []struct{ from, to, is string }{
		{"ConfigMap", "", ""}, {"ConfigMap", "ConfigMap", ""}, {"ConfigMap", "Secret", "Secret"}, {"Secret", "Secret", ""}, {"Secret", "ConfigMap", "ConfigMap"},
	} {
		for _, object := range []common{
			&v1.Projection{Spec: v1.ProjectionSpec{Source: v1.SourceRef{Kind: test.from}, Destination: v1.ProjectionDestination{Kind: test.to}}},
			&v1.ClusterProjection{Spec: v1.ClusterProjectionSpec{Source: v1.SourceRef{Kind: test.from}, Destination: v1.ClusterProjectionDestination{Kind: test.to}}},
		} {
			assert.Equal(t, test.is, object.GetCopyKind(), "%v", test)
		}
	}
}

func TestSchemeKnowsBothKindsAndTheirLists(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1.AddToScheme(scheme))

	for _, kind := range []string{v1.KindProjection, v1.KindClusterProjection} {
		assert.True(t, scheme.Recognizes(v1.GroupVersion.WithKind(kind)), kind)
		assert.True(t, scheme.Recognizes(v1.GroupVersion.WithKind(kind+"List")), kind)
	}
}
