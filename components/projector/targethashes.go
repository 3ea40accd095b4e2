package projector

import (
	"maps"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/expressions"
	"projection.sh/operator/components/projector/internal/memory"
)

// rendering returns what is remembered of the copies' values, for a rule that has some, and who observes evaluations.
func (s *sourceScope[O]) rendering() destination.Rendering {
	with := destination.Rendering{Timing: expressions.Timing{Observe: s.hub.Metrics.Evaluated}}
	s.rememberedSource(func(r *memory.Source) {
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
	targets := map[int]int{}
	for _, target := range m.wanted.Targets {
		targets[target.Source]++
	}
	for number, source := range m.scope.sources {
		var known *destination.TargetTexts
		source.rememberedSource(func(r *memory.Source) { known = r.TargetHashes })
		if known == nil {
			continue
		}
		known.Retain(targets[number], func(yield func(string) bool) {
			for _, target := range m.wanted.Targets {
				if target.Source == number && !yield(target.Namespace) {
					return
				}
			}
		})
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
