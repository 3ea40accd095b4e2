package destination_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	k8sjson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
)

// marksOfACopy bounds, in bytes of JSON, what a copy has on top of its source and overlay: apiVersion and kind, its name and
// namespace, and the marks.
const marksOfACopy = 2048

// FuzzRender renders copies of any JSON object for any rule: no panic, twice the same, the source as it was, no status, the
// rule's own marks and nobody else's, and no more than what the source and the overlay have.
func FuzzRender(f *testing.F) {
	for _, source := range sourcesOfAllShapes(f) {
		f.Add(source, "rule", "copy", "example.com/key", "value")
		f.Add(source, "rule", "", v1.AnnotationOwnedByClusterProjection, "other")
	}
	f.Fuzz(func(t *testing.T, encoded []byte, name, copyName, key, value string) {
		var object map[string]any
		if k8sjson.Unmarshal(encoded, &object) != nil {
			return
		}
		source := &unstructured.Unstructured{Object: object}
		identify(source)
		before := source.DeepCopy()
		rule := &v1.Projection{
			ObjectMeta: metav1.ObjectMeta{Namespace: "away", Name: name, UID: types.UID("uid")},
			Spec: v1.ProjectionSpec{
				Source:      v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Name: "settings"},
				Destination: v1.ProjectionDestination{Name: copyName},
				Overlay:     v1.Overlay{Labels: map[string]string{key: value}, Annotations: map[string]string{key: value}},
			},
		}
		first, again := rendered(t, source, rule), rendered(t, source, rule)
		require.Equal(t, first, again)
		if first == nil {
			return
		}
		require.Equal(t, before, source)
		requireNobodyElses(t, first, rule)
		size, limit := len(asJSON(t, first.Object)), len(asJSON(t, object))+2*len(asJSON(t, map[string]string{key: value}))+marksOfACopy+len(name)*6+len(copyName)*6
		require.LessOrEqual(t, size, limit)
	})
}

// sourcesOfAllShapes returns the objects of which the pipeline has golden copies, and some that are no objects.
func sourcesOfAllShapes(f *testing.F) [][]byte {
	f.Helper()
	files, err := filepath.Glob("../../mutations/testdata/source/*.yaml")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	shapes := [][]byte{
		[]byte(`{}`), []byte(`{"metadata":null,"spec":[]}`), []byte(`{"metadata":{"annotations":7,"labels":{"a":{}}},"status":{}}`),
		[]byte(`{"kind":7,"apiVersion":[],"metadata":{"name":{},"namespace":1}}`),
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(f, err)
		encoded, err := yaml.YAMLToJSON(content)
		require.NoError(f, err)
		shapes = append(shapes, encoded)
	}
	return shapes
}

// identify gives a source what every source has that comes from an API server, if its shape allows it.
func identify(source *unstructured.Unstructured) {
	if source.Object == nil {
		source.Object = map[string]any{}
	}
	source.SetAPIVersion("v1")
	source.SetKind("ConfigMap")
	source.SetNamespace("home")
	source.SetName("settings")
}

// rendered returns the copy in the rule's namespace; nil if the source is no object of Kubernetes.
func rendered(t *testing.T, source *unstructured.Unstructured, rule *v1.Projection) *unstructured.Unstructured {
	t.Helper()
	renderer, err := destination.Render(source, owner.IdentityOf(owner.Projection, rule), specOf(rule), "v1.36.0")
	if source.GetNamespace() == "" || source.GetName() == "" {
		require.Error(t, err)
		return nil
	}
	require.NoError(t, err)
	desired, err := renderer.Copy(destination.Target{Namespace: rule.Namespace})
	require.NoError(t, err)
	require.Len(t, desired.Hash, 32)
	resource, err := desired.Resource(nil)
	require.NoError(t, err)
	copied, err := resource.PreviewObject()
	require.NoError(t, err)
	return copied
}

// requireNobodyElses checks the marks on a copy of the rule.
func requireNobodyElses(t *testing.T, copied *unstructured.Unstructured, rule *v1.Projection) {
	t.Helper()
	require.NotContains(t, copied.Object, "status")
	require.Equal(t, rule.Namespace, copied.GetNamespace())
	require.Empty(t, copied.GetOwnerReferences())
	require.Empty(t, copied.GetFinalizers())
	require.Equal(t, string(rule.UID), copied.GetLabels()[v1.LabelOwnedByProjectionUID])
	require.NotContains(t, copied.GetLabels(), v1.LabelOwnedByClusterProjectionUID)
	annotations := copied.GetAnnotations()
	require.Equal(t, rule.Namespace+"/"+rule.Name, annotations[v1.AnnotationOwnedByProjection])
	require.NotContains(t, annotations, v1.AnnotationOwnedByClusterProjection)
	require.NotContains(t, annotations, v1.AnnotationProjectable)
}

func asJSON(t *testing.T, value any) []byte {
	t.Helper()
	encoded, err := json.Marshal(value)
	require.NoError(t, err)
	return encoded
}
