package projector

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/projector/internal/memory"
)

// cleanFields returns the Fields that are known to have nothing that the rule does not copy: those of copies that were written since
// the rule has its filter of fields, and those of the status if all copies were in sync with the spec that the rule has now. Nil if the
// rule copies all fields. If paths select elements by their values, such as [image=web:2], other values in the source select other
// elements, and nothing is known any more.
func (s *scope[O]) cleanFields() (clean *destination.CleanFields) {
	filter := s.spec.Content.Fields
	if len(filter.Include)+len(filter.Exclude) == 0 {
		s.remembered(func(r *memory.Rule) { r.Clean = nil })
		return nil
	}
	values := destination.SelectedBy(filter, s.source.Object)
	key := memory.HashOf([]any{filter, values})
	s.remembered(func(r *memory.Rule) {
		if r.Clean == nil || r.CleanFor != key {
			r.Clean, r.CleanFor = &destination.CleanFields{}, key
		}
		clean = r.Clean
	})
	if len(values) > 0 { // the status does not say for which values it was
		return clean
	}
	status := s.before.GetCommonStatus()
	written := meta.FindStatusCondition(status.Conditions, v1.ConditionDestinationWritten)
	if written != nil && written.Status == metav1.ConditionTrue && written.Reason == v1.ReasonProjected && written.ObservedGeneration == s.rule.GetGeneration() {
		clean.Add(destination.ParseFieldSets(status.AppliedFields)...)
	}
	return clean
}
