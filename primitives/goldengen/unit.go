package goldengen

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/golden"
)

// Unit is what a fixture gives in one version.
type Unit interface {
	// RegisteredMutations returns the names of all mutations.
	RegisteredMutations() []string
	// FiringSet returns the names of the mutations that fire.
	FiringSet() ([]string, error)
	// RenderYAML returns the content of the golden file.
	RenderYAML() ([]byte, error)
}

// ResourcePreviewer is a resource that can name its mutations and show its object. The resources of the kit are such.
type ResourcePreviewer interface {
	concepts.MutationInspector
	concepts.Previewable
}

// ComponentPreviewer is a component that can name its mutations and show its objects. Components of the kit are such.
type ComponentPreviewer interface {
	concepts.MutationInspector
	golden.ComponentPreviewer
}

// Resource returns a Unit of a resource. The scheme is needed for a typed object without a kind, and may otherwise be nil.
func Resource(res ResourcePreviewer, scheme *runtime.Scheme) Unit {
	return unit{MutationInspector: res, render: func() ([]byte, error) {
		object, err := res.Preview()
		if err != nil {
			return nil, fmt.Errorf("preview resource: %w", err)
		}
		return golden.Serialize(object, scheme)
	}}
}

// Component returns a Unit of a component: one YAML document for each managed resource. The scheme is that of Resource.
func Component(comp ComponentPreviewer, scheme *runtime.Scheme) Unit {
	return unit{MutationInspector: comp, render: func() ([]byte, error) {
		objects, err := comp.Preview()
		if err != nil {
			return nil, fmt.Errorf("preview component: %w", err)
		}
		return golden.SerializeComponent(objects, scheme)
	}}
}

type unit struct {
	concepts.MutationInspector
	render func() ([]byte, error)
}

// RenderYAML previews and serializes.
func (u unit) RenderYAML() ([]byte, error) { return u.render() }
