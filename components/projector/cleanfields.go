package projector

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/projector/internal/memory"
)

// cleanFields returns the Fields that are known to have nothing that the rule does not copy: those of copies that this process has written
// or looked at since the rule has its filter of fields. Nil if the rule copies all fields. If paths select elements by their values, such as
// [image=web:2], other values in the source select other elements, and nothing is known any more.
//
// The status says nothing about it: an operator that did not know the filter, and served the rule without it, may have written the status.
func (s *sourceScope[O]) cleanFields() (clean *destination.CleanFields) {
	if s.spec.Source.Selector == nil && s.scope.spec.Selects() {
		return s.clean
	}
	return s.cleanFieldsOf(s.source)
}

// cleanFieldsOf is cleanFields for the source with its content.
func (s *sourceScope[O]) cleanFieldsOf(source *unstructured.Unstructured) (clean *destination.CleanFields) {
	filter := s.spec.Content.Fields
	if filter.CopiesAll() {
		s.rememberedSource(func(r *memory.Source) { r.Clean = nil })
		return nil
	}
	key := memory.HashOf([]any{filter, destination.SelectedBy(filter, source.Object)})
	s.rememberedSource(func(r *memory.Source) {
		if r.Clean == nil || r.CleanFor != key {
			r.Clean, r.CleanFor = &destination.CleanFields{}, key
		}
		clean = r.Clean
	})
	return clean
}

// rememberedSource calls the function with what is remembered of the source. The function must not block.
func (s *sourceScope[O]) rememberedSource(do func(*memory.Source)) {
	name := ""
	if s.scope.spec.Selects() {
		name = s.spec.Source.Name
	}
	s.remembered(func(r *memory.Rule) { do(r.Source(name)) })
}
