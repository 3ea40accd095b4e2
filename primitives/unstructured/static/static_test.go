package static_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
	"projection.sh/operator/primitives/unstructured/static"
)

type object = map[string]any

func settings() *uns.Unstructured {
	return &uns.Unstructured{Object: object{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "settings", "namespace": "shop"},
	}}
}

func theme(name string, enabled bool) unstructured.Mutation {
	return unstructured.Mutation{
		Name:    name,
		Feature: feature.NewBooleanGate(enabled),
		Mutate: func(m *unstructured.Mutator) error {
			m.EditContent(func(e *editors.UnstructuredContentEditor) error { return e.SetNestedString(name, "data", "theme") })
			return nil
		},
	}
}

func TestResource(t *testing.T) {
	var extracted string
	resource, err := static.NewBuilder(settings()).WithMutation().
		WithMutation(theme("light", true), theme("dark", false)).
		WithGuard(func(o uns.Unstructured) (concepts.GuardStatusWithReason, error) {
			return concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: o.GetName()}, nil
		}).
		WithDataExtractor(nil).
		WithDataExtractor(func(o uns.Unstructured) error { extracted = o.GetName(); return nil }).
		Build()
	require.NoError(t, err)

	assert.Equal(t, "/v1/ConfigMap/shop/settings", resource.Identity())
	object, err := resource.Object()
	require.NoError(t, err)
	assert.Equal(t, settings(), object)
	preview, err := resource.Preview()
	require.NoError(t, err)
	typed, err := resource.PreviewObject()
	require.NoError(t, err)
	assert.Equal(t, typed, preview)
	require.NoError(t, resource.Mutate(object))
	assert.Equal(t, typed, object)
	assert.Equal(t, "light", typed.Object["data"].(map[string]any)["theme"])
	guard, err := resource.GuardStatus()
	require.NoError(t, err)
	assert.Equal(t, "settings", guard.Reason)
	require.NoError(t, resource.ExtractData())
	assert.Equal(t, "settings", extracted)
	assert.Equal(t, []string{"light", "dark"}, resource.RegisteredMutations())
	firing, err := resource.FiringSet()
	require.NoError(t, err)
	assert.Equal(t, []string{"light"}, firing)
	require.NoError(t, resource.RecordObservation(settings()))
	require.Error(t, resource.RecordObservation(&corev1.ConfigMap{}))
}

func TestResourceIsNeitherSuspendableNorHasItAHealth(t *testing.T) {
	resource, err := static.NewBuilder(settings()).Build()
	require.NoError(t, err)
	var known component.Resource = resource
	_, suspendable := known.(concepts.Suspendable)
	_, graceful := known.(concepts.Graceful)
	_, alive := known.(concepts.Alive)
	assert.Equal(t, []bool{false, false, false}, []bool{suspendable, graceful, alive})
}

func TestClusterScope(t *testing.T) {
	namespace := &uns.Unstructured{Object: object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": "shop"}}}
	resource, err := static.NewBuilder(namespace).MarkClusterScoped().Build()
	require.NoError(t, err)
	assert.Equal(t, "/v1/Namespace/shop", resource.Identity())
	_, err = static.NewBuilder(settings()).MarkClusterScoped().Build()
	require.EqualError(t, err, "cluster-scoped object must not have a namespace")
	_, err = static.NewBuilder(namespace).Build()
	require.EqualError(t, err, "object namespace cannot be empty")
}

func TestFaultsAreReportedByBuild(t *testing.T) {
	_, err := static.NewBuilder(nil).Build()
	require.EqualError(t, err, "object cannot be nil")
	_, err = static.NewBuilder(&uns.Unstructured{}).Build()
	require.EqualError(t, err, "object name cannot be empty")
	_, err = static.NewBuilder(settings()).WithMutation(theme("dark", true), theme("dark", false)).Build()
	require.EqualError(t, err, `duplicate mutation name "dark": mutation names must be unique within a resource`)
}

func TestMutationThatFails(t *testing.T) {
	resource, err := static.NewBuilder(settings()).WithMutation(unstructured.Mutation{
		Name: "bad", Mutate: func(*unstructured.Mutator) error { return errors.New("boom") },
	}).Build()
	require.NoError(t, err)
	_, err = resource.Preview()
	require.EqualError(t, err, "failed to apply mutation intent for bad: boom")
}

func ExampleNewBuilder() {
	resource, err := static.NewBuilder(&uns.Unstructured{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata":   map[string]any{"name": "settings", "namespace": "shop"},
	}}).WithMutation(unstructured.Mutation{
		Name:    "dark-theme",
		Feature: feature.NewBooleanGate(true),
		Mutate: func(m *unstructured.Mutator) error {
			m.EditContent(func(e *editors.UnstructuredContentEditor) error {
				return e.EnsureNestedStringMapEntry("theme", "dark", "data")
			})
			return nil
		},
	}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := resource.PreviewObject()
	fmt.Println(preview.Object["data"], err)
	// Output: map[theme:dark] <nil>
}
