package projector

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/source"
)

// copySet are the copies of one kind.
type copySet struct {
	destination.CopySet
	kind source.Kind
	// keepOld reports whether copies of an earlier kind or name stay until those that replace them are written.
	keepOld bool
}

// loadInventory finds out which copies there are: of the kind that the rule wants, and of the kinds that it wanted earlier. If that
// cannot be known of an earlier kind, copies of the kind that it wants are written all the same.
func (m *memberScope[O]) loadInventory(ctx context.Context) error {
	current, err := m.openCopySets(ctx, []source.Kind{m.scope.copyKind})
	if err != nil {
		return m.scope.unlisted(err)
	}
	m.sets = current
	earlier, err := m.withUnrecordedKinds(ctx, recordedKinds(m.scope.rule))
	if err != nil {
		m.inventoryErr = err
	}
	earlier = slices.DeleteFunc(earlier, func(kind schema.GroupKind) bool { return kind == m.scope.copyKind.GroupKind() })
	if len(earlier) == 0 {
		return nil
	}
	kinds, hidden := m.member.Resolver.ServedKinds(ctx, earlier)
	current, err = m.openCopySets(ctx, append([]source.Kind{m.scope.copyKind}, kinds...))
	if err == nil {
		m.sets = current
	}
	if hidden != nil {
		hidden = m.explainKept(hidden, "remove it from the annotation "+v1.AnnotationWrittenKinds)
	}
	m.inventoryErr = errors.Join(m.inventoryErr, hidden, err)
	return nil
}

// withUnrecordedKinds adds to the recorded kinds those of which the rule has copies that it has not recorded, as far as these kinds are
// watched. A kind of the same name as the source's is left out: the API server may serve the same objects in two groups.
//
// Example: somebody removes the finalizer of a rule and deletes it, and creates a rule of the same name that names another kind. The
// copies of the first rule name the second as their owner, and it knows nothing of them.
func (m *memberScope[O]) withUnrecordedKinds(ctx context.Context, recorded []schema.GroupKind) ([]schema.GroupKind, error) {
	var errs []error
	for _, resource := range m.member.Inventory.ResourcesOf(m.scope.id.Key()) {
		if resource == m.scope.copyKind.GroupVersionResource() {
			continue
		}
		kind, err := m.member.Resolver.ResolveResource(ctx, resource)
		if err != nil {
			if !source.IsKindError(err) {
				errs = append(errs, err)
			}
			continue
		}
		if kind.Kind != m.scope.spec.KindOfCopies().Kind && !slices.Contains(recorded, kind.GroupKind()) {
			recorded = append(recorded, kind.GroupKind())
		}
	}
	return recorded, errors.Join(errs...)
}

// loadRecordedInventory finds out which copies there are of all kinds that the rule may have copies of: of the recorded ones and,
// if the record was lost, of the one that the rule names now. The error names the kinds of which that cannot be known; the sets of the others
// are opened.
func (m *memberScope[O]) loadRecordedInventory(ctx context.Context) error {
	recorded, named := recordedKinds(m.scope.rule), m.scope.spec.KindOfCopies()
	if len(recorded) == 0 {
		recorded = append(recorded, named)
	}
	recorded, unknown := m.withUnrecordedKinds(ctx, recorded)
	kinds, hidden := m.member.Resolver.ServedKinds(ctx, recorded)
	if hidden != nil {
		hidden = m.explainKept(hidden, "remove the finalizer "+m.scope.id.Kind.Finalizer+" by hand")
	}
	var err error
	if slices.Contains(recorded, named) {
		m.sets, err = m.openCopySets(ctx, kinds)
	} else {
		m.sets, err = m.openWithUnrecorded(ctx, kinds, named)
	}
	return errors.Join(unknown, hidden, err)
}

// openWithUnrecorded opens the sets of the kinds, and of the kind that the rule names and that its record lacks. A kind is recorded
// before the first copy of it is written, so there is such a copy only if somebody has edited the record. The rule does not wait for
// that kind if it is not served, or if the operator is not allowed to read it.
//
// Example: a rule of ConfigMaps is edited to name a Secret, and the operator may not read Secrets. Then the rule is deleted.
func (m *memberScope[O]) openWithUnrecorded(ctx context.Context, kinds []source.Kind, unrecorded schema.GroupKind) ([]copySet, error) {
	kind, err := m.member.Resolver.ResolveKind(ctx, unrecorded)
	switch {
	case source.IsKindError(err):
		return m.openCopySets(ctx, kinds)
	case err != nil:
		return nil, err
	}
	sets, err := m.openCopySets(ctx, append(slices.Clone(kinds), kind))
	if apierrors.IsForbidden(err) {
		return m.openCopySets(ctx, kinds)
	}
	return sets, err
}

// explainKept adds to an error about a kind that is not served what became of the copies, and how people can give them up.
func (m *memberScope[O]) explainKept(err error, giveUp string) error {
	if _, notServed := errors.AsType[*source.HiddenObjectsError](err); notServed {
		return fmt.Errorf("%w; its copies are kept and the rule waits; serve the kind again, or %s to give them up", err, giveUp)
	}
	return err
}

// kindOf returns the kind of the copy at a place: the source's, or an earlier one.
func (m *memberScope[O]) kindOf(place destination.Place) source.Kind {
	for _, set := range m.sets {
		if set.Resource == place.Resource {
			return set.kind
		}
	}
	return m.scope.copyKind
}

// openCopySets returns the sets of the kinds when all of their copies are known.
func (m *memberScope[O]) openCopySets(ctx context.Context, kinds []source.Kind) ([]copySet, error) {
	resources := make([]schema.GroupVersionResource, len(kinds))
	for i, kind := range kinds {
		resources[i] = kind.GroupVersionResource()
	}
	caches, err := m.member.Inventory.Watch(ctx, m.scope.key, resources...)
	if err != nil {
		return nil, err
	}
	sets := make([]copySet, len(kinds))
	for i, kind := range kinds {
		sets[i] = copySet{kind: kind, CopySet: destination.CopySet{
			Owner: m.scope.id, User: m.scope.writer(), OnConflict: m.scope.spec.Policy.OnConflict,
			Cluster: m.member.Cluster, Rule: m.scope.before, Resource: resources[i], Cache: caches[i],
			FromSecret: m.scope.spec.HasSecret(), ObserveAdoption: m.scope.observeAdoption,
		}}
		if !m.scope.isDeleting() {
			sets[i].Suspended = m.scope.suspended(m.scope.run.base) //nolint:contextcheck // requests outlive the reconcile
		}
	}
	m.member.Inventory.SetSuspended(m.scope.id.Key(), m.scope.isSuspended())
	return sets, nil
}

// setsOfKinds returns the copies of the kinds that the rule may have copies of, and of which the function holds. Nil: of all. Somebody may have taken
// a kind from the record of the rule: the kind that the rule wants, and those of which copies are seen, count in any case.
func (s *scope[O]) setsOfKinds(ctx context.Context, wanted func(schema.GroupKind) bool) []copySet {
	candidates, err := s.local.withUnrecordedKinds(ctx, recordedKinds(s.rule))
	s.local.revokeErr = errors.Join(s.local.revokeErr, err)
	if !slices.Contains(candidates, s.copyKind.GroupKind()) {
		candidates = append(candidates, s.copyKind.GroupKind())
	}
	var kinds []source.Kind
	for _, candidate := range candidates {
		if wanted != nil && !wanted(candidate) {
			continue
		}
		kind, err := s.local.member.Resolver.ResolveKind(ctx, candidate)
		switch {
		case err == nil:
			kinds = append(kinds, kind)
		case !source.IsKindError(err):
			s.local.revokeErr = errors.Join(s.local.revokeErr, err)
		}
	}
	return s.openEach(ctx, kinds)
}

// openEach returns the sets of the kinds, all at once if that is possible, and otherwise those that can be opened.
func (s *scope[O]) openEach(ctx context.Context, kinds []source.Kind) (opened []copySet) {
	if len(kinds) == 0 {
		return nil
	}
	opened, err := s.local.openCopySets(ctx, kinds)
	if err == nil {
		return opened
	}
	s.local.revokeErr, opened = errors.Join(s.local.revokeErr, err), nil
	for _, kind := range kinds {
		if one, err := s.local.openCopySets(ctx, []source.Kind{kind}); err == nil {
			opened = append(opened, one...)
		}
	}
	return opened
}
