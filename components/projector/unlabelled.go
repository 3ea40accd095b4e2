package projector

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/projector/internal/memory"
)

// unlabelledKept finds copies that have lost their label while no operator ran, or before it was started again: those that are to be kept while
// the source does not exist, and those that are to be deleted. It leaves out those that are found. It looks once for each spec of the rule and each
// reason for which no copy is wanted; lostCopies finds these copies again.
func (m *memberScope[O]) unlabelledKept(
	ctx context.Context, set copySet, planned map[types.NamespacedName]bool, found []destination.Copy,
) []destination.Copy {
	isNarrowed := m.scope.first && !m.scope.spec.Selects() && m.scope.permission().IsLimited()
	if !isNarrowed && !m.scope.mayHaveUnwanted() {
		return nil
	}
	looked, before := memory.HashOf([]any{m.scope.rule.GetGeneration(), m.scope.whyNoCopy().Reason}), memory.Hash(0)
	m.scope.remembered(func(r *memory.Rule) { before = r.LookedFor })
	if before == looked {
		return nil
	}
	known := knownAt(planned)
	for _, copied := range slices.Concat(set.Cache.ByOwner(m.scope.id.Key()), found) {
		known[copied.NamespacedName] = copied
	}
	unlabelled, err := m.findUnlabelled(ctx, set, known)
	if err != nil {
		m.inventoryErr = errors.Join(m.inventoryErr, err)
		return unlabelled
	}
	for _, copied := range unlabelled {
		set.Cache.Remember(copied.NamespacedName, m.scope.id.Key())
	}
	m.scope.remembered(func(r *memory.Rule) { r.LookedFor = looked })
	return unlabelled
}

// noteUnsearched finds out once in which targets a rule that selects its sources may have a copy that no watch shows: it has lost its label while
// no operator ran, or while the rule was suspended. In a target that has as many copies as the status counts sources, none is hidden. If the
// status says that something is left to do, a copy may be hidden in any.
//
// Example: a copy loses its label while no operator runs. Then the owner of its source opts out, and takes off the label that the rule selects.
func (s *scope[O]) noteUnsearched() {
	isKnown := false
	s.remembered(func(r *memory.Rule) { isKnown = r.Unsearched != nil })
	if isKnown || s.selected.tooMany || s.selected.targetsErr != nil || len(s.local.sets) == 0 {
		return
	}
	known := map[string]int{}
	for _, copied := range s.local.sets[0].Cache.ByOwner(s.id.Key()) {
		if s.selectedAs(s.nameOfSource(copied)) != nil {
			known[copied.Namespace]++
		}
	}
	unsearched := map[string]bool{}
	for _, target := range s.selected.targets {
		if s.mayHideCopies(known[target.Namespace]) {
			unsearched[target.Namespace] = true
		}
	}
	s.remembered(func(r *memory.Rule) { r.Unsearched = unsearched })
}

// mayHideCopies reports whether the rule may have had more copies in the namespace than so many when its status was written.
func (s *scope[O]) mayHideCopies(known int) bool {
	status := s.before.GetCommonStatus()
	if !status.MayHaveCopies() {
		return false
	}
	if status.Sources == nil || !meta.IsStatusConditionTrue(status.Conditions, v1.ConditionReady) {
		return true
	}
	said := meta.FindStatusCondition(status.Conditions, v1.ConditionSourceResolved)
	if said != nil && strings.Contains(said.Message, copiesOfFormerKept) {
		return true
	}
	return known < int(*status.Sources)
}

// unlabelledOfSelected finds the copies that no watch shows, where there may be some. Their names are those of sources that may not exist any more, so all
// objects of the kind in the namespace are listed. Where that fails, the next reconcile lists them again.
func (m *memberScope[O]) unlabelledOfSelected(
	ctx context.Context, set copySet, planned map[types.NamespacedName]bool,
) []destination.Copy {
	var namespaces []string
	m.scope.remembered(func(r *memory.Rule) { namespaces = slices.Sorted(maps.Keys(r.Unsearched)) })
	if !m.scope.spec.Selects() || len(namespaces) == 0 {
		return nil
	}
	known := knownAt(planned)
	for _, copied := range set.Cache.ByOwner(m.scope.id.Key()) {
		known[copied.NamespacedName] = copied
	}
	found, err := m.read(ctx, len(namespaces), func(i int) ([]destination.Copy, error) {
		listed, err := m.member.Writer.ListIn(ctx, set.CopySet, namespaces[i])
		if err == nil {
			m.scope.remembered(func(r *memory.Rule) { delete(r.Unsearched, namespaces[i]) })
		}
		return listed, err
	})
	m.inventoryErr = errors.Join(m.inventoryErr, err)
	found = slices.DeleteFunc(found, func(copied destination.Copy) bool {
		_, isKnown := known[copied.NamespacedName]
		return isKnown
	})
	for _, copied := range found {
		set.Cache.Remember(copied.NamespacedName, m.scope.id.Key())
	}
	return found
}

// knownAt returns the places that have a name and where a copy is planned, which is no copy without its label.
func knownAt(planned map[types.NamespacedName]bool) map[types.NamespacedName]destination.Copy {
	known := map[types.NamespacedName]destination.Copy{}
	for at := range planned {
		if at.Name != "" {
			known[at] = destination.Copy{}
		}
	}
	return known
}
