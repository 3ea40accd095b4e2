package mutations

import (
	"maps"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
)

// applyOverlay sets the owner's labels and annotations. It comes after everything that drops, so an owner may put back
// what was dropped, and before the stamps, which win.
func applyOverlay(overlay Overlay) unstructured.Mutation {
	labels, annotations := unreserved(overlay.Labels), unreserved(overlay.Annotations)
	return unstructured.Mutation{
		Name:    ApplyOverlay,
		Feature: feature.NewBooleanGate(len(labels)+len(annotations) > 0),
		Mutate: func(m *unstructured.Mutator) error {
			m.EditObjectMetadata(func(e *editors.ObjectMetaEditor) error {
				for key, value := range labels {
					e.EnsureLabel(key, value)
				}
				for key, value := range annotations {
					e.EnsureAnnotation(key, value)
				}
				return nil
			})
			return nil
		},
	}
}

func unreserved(entries map[string]string) map[string]string {
	kept := maps.Clone(entries)
	maps.DeleteFunc(kept, func(key, _ string) bool { return reserved(key) })
	return kept
}
