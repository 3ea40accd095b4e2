package projector

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/projector/internal/memory"
)

// replacements are the copies that are to replace others in their namespace, which have another name or kind.
type replacements struct {
	// bySource are the wanted copies, by namespace and source; nil: none was looked for.
	bySource map[string][]int
	// former says of the copies that replace others whether these stay until the new one is healthy.
	former map[int]bool
}

// staysUntilHealthy reports whether a copy that is not wanted stays, because the one that replaces it has not shown that it is healthy: the
// namespace has something to lose. Content without consent does not stay.
//
// Example: a rule with rollout.until Healthy is renamed. In each namespace, the Deployment with the former name is deleted when the pods of the new
// one are ready.
func (m *memberScope[O]) staysUntilHealthy(copied destination.Copy) bool {
	if m.deadline() == 0 || !m.staged.waits || copied.Terminating {
		return false
	}
	if m.replaced.bySource == nil {
		m.replaced = replacements{bySource: map[string][]int{}, former: map[int]bool{}}
		for i := range m.outcomes {
			key := m.wanted.Targets[i].Namespace + "/" + m.nameOf(m.wanted.Targets[i])
			m.replaced.bySource[key] = append(m.replaced.bySource[key], i)
		}
	}
	stays := false
	for _, i := range m.replaced.bySource[copied.Namespace+"/"+m.scope.nameOfSource(copied)] {
		desired, err := m.desired(m.wanted.Targets[i])
		if err != nil || !m.outcomes[i].IsInSync() || m.formerLacksConsent(i, desired, &copied.State) {
			continue
		}
		waits := !m.hasShownHealth(desired.At)
		m.replaced.former[i] = m.replaced.former[i] || waits
		stays = stays || waits
	}
	return stays
}

// hasShownHealth reports whether the copy at the place has shown that it is healthy since it was changed.
func (m *memberScope[O]) hasShownHealth(at types.NamespacedName) (shown bool) {
	m.scope.remembered(func(r *memory.Rule) {
		known, found := r.Health[at]
		shown = found && known.Settled && known.IsOf(m.staged.set.Cache.Known(at))
	})
	return shown
}

// replacesOther reports whether the copy is in the place of another one that is still there.
func (m *memberScope[O]) replacesOther(i int) bool {
	_, replaces := m.replaced.former[i]
	return replaces
}

// earlierCopies returns the copies in the namespace that have an earlier kind or name.
func (m *memberScope[O]) earlierCopies(namespace string) []destination.Copy {
	if m.staged.earlier == nil {
		m.staged.earlier = map[string][]destination.Copy{}
		planned := map[types.NamespacedName]bool{}
		for _, target := range m.wanted.Targets {
			planned[target.At()] = true
		}
		for _, set := range m.sets {
			if set.Resource != m.staged.set.Resource {
				clear(planned)
			}
			for _, copied := range set.Cache.Unplanned(m.scope.id.Key(), planned) {
				m.staged.earlier[copied.Namespace] = append(m.staged.earlier[copied.Namespace], copied)
			}
		}
	}
	return m.staged.earlier[namespace]
}

// replacesWithoutConsent reports whether the copy of a target replaces one whose content is not consented to. Then it is written at once, since the
// former one has to go.
//
// Example: a rule is edited to name another source, and its copies have the name of their source. Then the owner of the former source opts out.
func (m *memberScope[O]) replacesWithoutConsent(i int, desired destination.DesiredCopy) bool {
	return slices.ContainsFunc(m.earlierCopies(desired.At.Namespace), func(copied destination.Copy) bool {
		return !copied.Terminating && m.scope.nameOfSource(copied) == m.nameOf(m.wanted.Targets[i]) && m.formerLacksConsent(i, desired, &copied.State)
	})
}

// formerLacksConsent is lacksConsent for a copy that the one of a target replaces. One that names no source may be of any.
func (m *memberScope[O]) formerLacksConsent(i int, desired destination.DesiredCopy, former *destination.State) bool {
	source := m.scope.sources[m.wanted.Targets[i].Source].spec.Source
	return !former.IsOf(source) || m.lacksConsent(i, desired, former)
}
