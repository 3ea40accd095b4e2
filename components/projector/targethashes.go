package projector

import (
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/expressions"
	"projection.sh/operator/components/projector/internal/memory"
)

// rendering returns what is remembered of the copies' values, for a rule that has some, and who observes evaluations.
func (s *scope[O]) rendering() destination.Rendering {
	with := destination.Rendering{Timing: expressions.Timing{Observe: s.hub.Metrics.Evaluated}}
	s.remembered(func(r *memory.Rule) {
		switch {
		case len(s.spec.Overlay.Fields) == 0:
			r.TargetHashes = nil
		case r.TargetHashes == nil:
			r.TargetHashes = &destination.TargetTexts{}
		}
		with.Known = r.TargetHashes
	})
	return with
}

// forgetTargetHashes forgets what is remembered of namespaces that are no targets any more.
func (m *memberScope[O]) forgetTargetHashes() {
	var known *destination.TargetTexts
	m.scope.remembered(func(r *memory.Rule) { known = r.TargetHashes })
	known.Retain(len(m.wanted.Targets), func(yield func(string) bool) {
		for _, target := range m.wanted.Targets {
			if !yield(target.Namespace) {
				return
			}
		}
	})
}
