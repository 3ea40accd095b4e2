package projector

import (
	"maps"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/expressions"
	"projection.sh/operator/components/projector/internal/memory"
)

// rendering returns what is remembered of the copies' values and names, for a rule with expressions for them, and who observes evaluations.
func (s *sourceScope[O]) rendering() destination.Rendering {
	with := destination.Rendering{Timing: expressions.Timing{Observe: s.hub.Metrics.Evaluated}}
	s.rememberedSource(func(r *memory.Source) {
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

// forgetTargetTexts forgets what is remembered of namespaces that are no targets any more, and of sources that the rule has no more.
func (m *memberScope[O]) forgetTargetTexts() {
	targets := map[int]int{}
	for _, target := range m.wanted.Targets {
		targets[target.Source]++
	}
	for number, source := range m.scope.sources {
		var known [2]*destination.TargetTexts
		source.rememberedSource(func(r *memory.Source) { known = [...]*destination.TargetTexts{r.TargetHashes, r.TargetNames} })
		for _, texts := range known {
			if texts == nil {
				continue
			}
			texts.Retain(targets[number], func(yield func(string) bool) {
				for _, target := range m.wanted.Targets {
					if target.Source == number && !yield(target.Namespace) {
						return
					}
				}
			})
		}
	}
	m.scope.forgetSources()
}

// forgetSources forgets what is remembered of sources that the rule has no more.
func (s *scope[O]) forgetSources() {
	names := map[string]bool{"": !s.spec.Selects()}
	for _, source := range s.sources {
		names[source.spec.Source.Name] = names[source.spec.Source.Name] || s.spec.Selects()
	}
	s.remembered(func(r *memory.Rule) {
		maps.DeleteFunc(r.Sources, func(name string, _ *memory.Source) bool { return !names[name] })
	})
}
