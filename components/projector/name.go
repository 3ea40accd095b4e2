package projector

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
)

// hasNameExpression reports whether the copies can have different names.
func (s *scope[O]) hasNameExpression() bool { return s.spec.NameExpression != "" }

// mayHaveName reports whether the name is the one that a copy of the source in the namespace is to have. In a namespace that is not planned, it may be.
func (s *sourceScope[O]) mayHaveName(at types.NamespacedName) bool {
	if !s.hasNameExpression() {
		return at.Name == s.spec.Name
	}
	target, planned := s.local.planned(s, at.Namespace)
	return !planned || target.Name == at.Name
}

// isRenamed reports whether the copy of the source in the namespace is to have another name than planned, by the labels that the namespace has now. It
// is asked right before the copy is written.
//
// Example: a rule adopts objects, and a write waits behind a slow webhook. Meanwhile, somebody changes the label that names the copy. The rule
// would take over an object that it deletes again.
func (m *memberScope[O]) isRenamed(ctx context.Context, source *sourceScope[O], namespace string) bool {
	if !m.scope.hasNameExpression() || m.scope.readsAnnotations() {
		return false
	}
	planned, found := m.planned(source, namespace)
	labels, known, err := m.scope.planner.NamespaceLabels(ctx, namespace)
	if !found || !known || err != nil || maps.Equal(labels, planned.Labels) {
		return false
	}
	target := planned.Place()
	target.Labels = labels
	return !source.gives(target.Name, target)
}

// isItself reports whether the copy in the namespace of the source would be the source, by the labels that the namespace had and has.
func (s *sourceScope[O]) isItself(ctx context.Context, namespace string) bool {
	if s.itself == "" || namespace != s.itself || s.readsAnnotations() {
		return s.itself != "" && namespace == s.itself
	}
	labels, known, err := s.planner.NamespaceLabels(ctx, namespace)
	return known && err == nil && s.gives(s.spec.Source.Name, destination.Target{Namespace: namespace, Labels: labels})
}

// readsAnnotations reports whether expressions of the rule read annotations of namespaces, which are not asked for right before a request.
func (s *scope[O]) readsAnnotations() bool { return s.hub.Names.Of(s.key).Annotations }

// gives reports whether the copy of the source in a target has the name.
func (s *sourceScope[O]) gives(name string, target destination.Target) bool {
	if s.called == nil {
		return true
	}
	gives, err := s.called.Gives(name, target, s.spec.NameExpression)
	return gives || err != nil
}

// planned returns the target of a source in a namespace, and whether there is one.
func (m *memberScope[O]) planned(source *sourceScope[O], namespace string) (plan.Target, bool) {
	number := slices.Index(m.scope.sources, source)
	i, found := slices.BinarySearchFunc(m.wanted.Targets, namespace, func(t plan.Target, namespace string) int {
		return cmp.Or(strings.Compare(t.Namespace, namespace), cmp.Compare(t.Source, number))
	})
	if !found {
		return plan.Target{}, false
	}
	return m.wanted.Targets[i], true
}

// expectDeletion notes that somebody else deletes the copy of a target that cannot have one now. If its name is not known, all copies in the
// namespace are meant.
func (m *memberScope[O]) expectDeletion(set copySet, target plan.Target) {
	rule := m.scope.id.Key()
	if target.Name != "" {
		set.Cache.ExpectDeletion(target.At(), rule)
		return
	}
	for _, at := range m.placesIn(set, target.Namespace) {
		set.Cache.ExpectDeletion(at, rule)
	}
}

// placesIn returns where the rule has copies in a namespace, as it was when it was asked for first.
func (m *memberScope[O]) placesIn(set copySet, namespace string) []types.NamespacedName {
	if m.places == nil {
		m.places = map[string][]types.NamespacedName{}
		for _, copied := range set.Cache.ByOwner(m.scope.id.Key()) {
			m.places[copied.Namespace] = append(m.places[copied.Namespace], copied.NamespacedName)
		}
	}
	return m.places[namespace]
}

// findWithoutNames finds copies that have lost their label, at those of the rule's targets where no copy is known. Their names cannot be known:
// they depend on what the labels of the namespace and of the source were, which may not exist any more.
func (m *memberScope[O]) findWithoutNames(
	ctx context.Context, set copySet, known map[types.NamespacedName]destination.Copy, targets []plan.Target,
) ([]destination.Copy, error) {
	has := sets.New[string]()
	for at := range known {
		has.Insert(at.Namespace)
	}
	targets = slices.DeleteFunc(targets, func(t plan.Target) bool {
		return t.Blocked != "" || has.Has(t.Namespace) && !m.scope.spec.Selects() // of several sources, some copies may be known
	})
	found, err := m.read(ctx, len(targets), func(i int) ([]destination.Copy, error) {
		return m.member.Writer.ListIn(ctx, set.CopySet, targets[i].Namespace)
	})
	return slices.DeleteFunc(found, func(copied destination.Copy) bool {
		_, isKnown := known[copied.NamespacedName]
		return isKnown
	}), err
}

// unnamed returns the namespaces for which no name results.
func (m *memberScope[O]) unnamed() sets.Set[string] {
	unnamed := sets.New[string]()
	for _, target := range m.wanted.Targets {
		if target.Unnamed != nil {
			unnamed.Insert(target.Namespace)
		}
	}
	return unnamed
}

// keepUnnamed has those of the copies stay that are in namespaces for which no name results, with their labels: consent that is taken back has to reach them.
//
// Example: a namespace loses the label that names the copy, and the operator is restarted. Then somebody takes the label of the operator off the
// copy, and the owner of the source opts out.
func (m *memberScope[O]) keepUnnamed(set copySet, copies []destination.Copy) {
	unnamed := m.unnamed()
	copies = slices.DeleteFunc(copies, func(c destination.Copy) bool { return !unnamed.Has(c.Namespace) })
	var unlabelled []destination.Copy
	for _, copied := range copies {
		set.Cache.Remember(copied.NamespacedName, m.scope.id.Key())
		if !copied.Labelled && !copied.Terminating {
			unlabelled = append(unlabelled, copied)
		}
	}
	m.relabel(set, unlabelled)
}

// unlabelledUnnamed finds copies that have lost their label while no operator ran, in namespaces for which no name results. It leaves out
// namespaces of which a copy is known.
func (m *memberScope[O]) unlabelledUnnamed(
	ctx context.Context, set copySet, planned map[types.NamespacedName]bool, found []destination.Copy,
) []destination.Copy {
	var targets []plan.Target
	for _, target := range m.wanted.Targets {
		if target.Unnamed != nil && m.scope.first {
			targets = append(targets, target)
		}
	}
	if len(targets) == 0 || !m.scope.rule.GetCommonStatus().MayHaveCopies() {
		return nil
	}
	known := knownAt(planned)
	for _, copied := range found {
		known[copied.NamespacedName] = copied
	}
	copies, err := m.findWithoutNames(ctx, set, known, targets)
	m.inventoryErr = errors.Join(m.inventoryErr, err)
	return copies
}

// reportNames sets what the status says of the names of the copies. If the source is gone, or is not to be copied, it stays until all copies
// are deleted.
func (s *scope[O]) reportNames() {
	status, names := s.rule.GetCommonStatus(), s.local.names()
	switch {
	case s.local.keptCopies && !s.hasNameExpression() && !s.spec.Selects():
		names = sets.New(s.spec.Name)
	case !s.local.keptCopies && s.local.hasNone():
		status.DestinationName, status.DestinationNames = "", nil
		return
	}
	switch len(names) {
	case 0:
		keepsSome := len(s.local.sets) > 0 && s.local.sets[0].keepOld // perhaps without their label
		if s.spec.Selects() && s.local.outcomes != nil && s.local.inventoryErr == nil && !s.isSuspended() && !keepsSome {
			status.DestinationName, status.DestinationNames = "", nil
		}
	case 1:
		status.DestinationName, status.DestinationNames = names.UnsortedList()[0], nil
	default:
		status.DestinationName, status.DestinationNames = "", new(int32(len(names))) //nolint:gosec // there are not that many copies
	}
}

// names returns the names of the copies that are in sync. If they can have different names, those of the others are among them.
func (m *memberScope[O]) names() sets.Set[string] {
	names, others, last := sets.New[string](), m.keptCopies || len(m.sets) > 0 && m.sets[0].keepOld, ""
	for i := range m.outcomes {
		switch outcome := &m.outcomes[i]; {
		case !outcome.IsInSync():
			others = true
		case outcome.Place.Name != last:
			last = outcome.Place.Name
			names.Insert(last)
		}
	}
	if !others || !m.scope.hasNameExpression() && !m.scope.spec.Selects() {
		return names
	}
	for _, set := range m.sets {
		for _, copied := range set.Cache.ByOwner(m.scope.id.Key()) {
			if !copied.Terminating {
				names.Insert(copied.Name)
			}
		}
	}
	return names
}

// otherAdvice replaces advice about destination.name.
var otherAdvice = strings.NewReplacer(
	"set another destination.name", "change destination.nameExpression",
	"set spec.destination.name or", "change spec.destination.nameExpression or",
)

// adviseOnNames has failures of copies advise on the field that gives the names.
func (m *memberScope[O]) adviseOnNames() {
	if !m.scope.hasNameExpression() {
		return
	}
	for i := range m.outcomes {
		m.outcomes[i].Message = otherAdvice.Replace(m.outcomes[i].Message)
	}
}
