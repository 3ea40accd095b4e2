package component_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	uns "projection.sh/operator/primitives/unstructured"
	"projection.sh/operator/primitives/unstructured/static"
)

// mutated returns a ConfigMap with a mutation for every name; those that begin with "-" are switched off.
func mutated(t testing.TB, name string, mutations ...string) *static.Resource {
	t.Helper()
	builder := static.NewBuilder(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name, "namespace": "ns"},
	}})
	for _, mutation := range mutations {
		builder.WithMutation(uns.Mutation{
			Name:    mutation,
			Feature: feature.NewBooleanGate(mutation[0] != '-'),
			Mutate: func(m *uns.Mutator) error {
				m.EditObjectMetadata(func(e *editors.ObjectMetaEditor) error { e.EnsureLabel(mutation, "on"); return nil })
				return nil
			},
		})
	}
	resource, err := builder.Build()
	require.NoError(t, err)
	return resource
}

func TestPreviewShowsWhatWouldBeApplied(t *testing.T) {
	part := buildPart(t, func(b *component.Builder) {
		b.WithResource(mutated(t, "one", "a", "-b")).
			WithResource(newStub("ns", "read"), component.ReadOnly()).
			WithResource(newStub("ns", "old"), component.Delete()).
			WithResource(mutated(t, "two"))
	})
	objects, err := part.Preview()
	require.NoError(t, err)
	require.Len(t, objects, 2)
	assert.Equal(t, "one", objects[0].GetName())
	assert.Equal(t, map[string]string{"a": "on"}, objects[0].GetLabels())
	assert.Equal(t, "two", objects[1].GetName())
}

type previewing struct {
	*stub
	object client.Object
	err    error
}

func (p previewing) Preview() (client.Object, error) { return p.object, p.err }

func TestErrorsOfPreviewing(t *testing.T) {
	for want, resource := range map[string]component.Resource{
		`resource "v1/ConfigMap/ns/one" does not implement concepts.Previewable and cannot be previewed`: newStub("ns", "one"),
		`preview resource "v1/ConfigMap/ns/one": boom`:                                                   previewing{stub: newStub("ns", "one"), err: errors.New("boom")},
		`preview resource "v1/ConfigMap/ns/one": returned a nil object`:                                  previewing{stub: newStub("ns", "one")},
	} {
		_, err := buildPart(t, func(b *component.Builder) { b.WithResource(resource) }).Preview()
		assert.EqualError(t, err, want)
	}
}

func TestMutationsOfAllManagedResources(t *testing.T) {
	part := buildPart(t, func(b *component.Builder) {
		b.WithResource(mutated(t, "one", "a", "-b")).
			WithResource(newStub("ns", "plain")).
			WithResource(mutated(t, "read", "x"), component.ReadOnly()).
			WithResource(mutated(t, "two", "c", "a"))
	})
	assert.Equal(t, []string{"a", "-b", "c"}, part.RegisteredMutations())
	firing, err := part.FiringSet()
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "c"}, firing)
}

func TestFiringSetThatCannotBeDecided(t *testing.T) {
	resource, err := static.NewBuilder(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "one", "namespace": "ns"},
	}}).WithMutation(uns.Mutation{Name: "a", Feature: brokenGate{}}).Build()
	require.NoError(t, err)
	_, err = buildPart(t, func(b *component.Builder) { b.WithResource(resource) }).FiringSet()
	assert.EqualError(t, err, `firing set for resource "/v1/ConfigMap/ns/one": evaluating gate for mutation "a": boom`)
}
