package projector

import (
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/expressions"
	"projection.sh/operator/components/projector/internal/memory"
)

// rendering returns what is remembered of the copies' values and names, for a rule with expressions for them, and who observes evaluations.
func (s *scope[O]) rendering() destination.Rendering {
	with := destination.Rendering{Timing: expressions.Timing{Observe: s.hub.Metrics.Evaluated}}
	s.remembered(func(r *memory.Rule) {
		r.TargetHashes = textsIf(len(s.spec.Overlay.Fields) > 0, r.TargetHashes)
		r.TargetNames = textsIf(s.hasNameExpression(), r.TargetNames)
		with.Known, with.KnownNames = r.TargetHashes, r.TargetNames
	})
	return with
}

// textsIf returns the texts, or new ones, if there are expressions for them.
func textsIf(has bool, texts *destination.TargetTexts) *destination.TargetTexts {
	switch {
	case !has:
		return nil
	case texts == nil:
		return &destination.TargetTexts{}
	default:
		return texts
	}
}

// forgetTargetTexts forgets what is remembered of namespaces that are no targets any more.
func (m *memberScope[O]) forgetTargetTexts() {
	var known [2]*destination.TargetTexts
	m.scope.remembered(func(r *memory.Rule) { known = [...]*destination.TargetTexts{r.TargetHashes, r.TargetNames} })
	for _, texts := range known {
		texts.Retain(len(m.wanted.Targets), func(yield func(string) bool) {
			for _, target := range m.wanted.Targets {
				if !yield(target.Namespace) {
					return
				}
			}
		})
	}
}
