package component

import (
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

// Preview returns the objects that would be applied, in the order of registration, without an API server: guards are
// not asked, nothing is extracted, and owner references are missing. A test that previews mutations which require data sets
// their cells by hand.
func (c *Component) Preview() ([]client.Object, error) {
	managed := c.managed()
	objects := make([]client.Object, 0, len(managed))
	for _, r := range managed {
		previewable, ok := r.resource.(concepts.Previewable)
		if !ok {
			return nil, fmt.Errorf("resource %q does not implement concepts.Previewable and cannot be previewed", r.identity)
		}
		object, err := previewable.Preview()
		if err != nil {
			return nil, fmt.Errorf("preview resource %q: %w", r.identity, err)
		}
		if isNil(object) {
			return nil, fmt.Errorf("preview resource %q: returned a nil object", r.identity)
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// RegisteredMutations returns the names of all mutations of the managed resources in the order of registration, each
// once.
func (c *Component) RegisteredMutations() []string {
	var names []string
	for _, r := range c.managed() {
		if inspector, ok := r.resource.(concepts.MutationInspector); ok {
			names = appendNew(names, inspector.RegisteredMutations())
		}
	}
	return names
}

// FiringSet returns the names of the mutations of the managed resources whose gates are open, each once.
func (c *Component) FiringSet() ([]string, error) {
	var names []string
	for _, r := range c.managed() {
		inspector, ok := r.resource.(concepts.MutationInspector)
		if !ok {
			continue
		}
		firing, err := inspector.FiringSet()
		if err != nil {
			return nil, fmt.Errorf("firing set for resource %q: %w", r.identity, err)
		}
		names = appendNew(names, firing)
	}
	return names, nil
}

func appendNew(names, more []string) []string {
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
