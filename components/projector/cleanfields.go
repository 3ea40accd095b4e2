package projector

import (
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/projector/internal/memory"
)

// cleanFields returns the Fields that are known to have nothing that the rule does not copy: those of copies that this process has written
// or looked at since the rule has its filter of fields. Nil if the rule copies all fields. If paths select elements by their values, such as
// [image=web:2], other values in the source select other elements, and nothing is known any more.
//
// The status says nothing about it: an operator that did not know the filter, and served the rule without it, may have written the status.
func (s *sourceScope[O]) cleanFields() (clean *destination.CleanFields) {
	filter := s.spec.Content.Fields
	if filter.CopiesAll() {
		s.remembered(func(r *memory.Rule) { r.Clean = nil })
		return nil
	}
	key := memory.HashOf([]any{filter, destination.SelectedBy(filter, s.source.Object)})
	s.remembered(func(r *memory.Rule) {
		if r.Clean == nil || r.CleanFor != key {
			r.Clean, r.CleanFor = &destination.CleanFields{}, key
		}
		clean = r.Clean
	})
	return clean
}
