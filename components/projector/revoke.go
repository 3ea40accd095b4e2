package projector

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

var (
	configMap = schema.GroupKind{Kind: "ConfigMap"}
	secret    = schema.GroupKind{Kind: "Secret"}
)

// revoke deletes the copies that the owner of the source does not permit any more: before others are written, and even if the rule cannot be
// carried out. These are copies in namespaces that the owner does not permit, and ConfigMaps with keys of a Secret that the owner does not
// declare public. What fails here is reported at the end: it keeps no other copy from being written.
//
// Example: a rule copies keys of a Secret as a ConfigMap. Its author removes destination.kind, but a foreign Secret is in the way, so the
// ConfigMap stays. Then the owner of the Secret declares no key public any more.
func (s *scope[O]) revoke(ctx context.Context) error {
	if !s.isHereKnown() { // checkHere returns why
		return nil
	}
	has := s.namesWithCopies()
	for _, source := range s.objects() {
		switch {
		case has != nil && !has[source.spec.Source.Name]:
		case source.source != nil:
			source.revokeBy(ctx, source.source.GetAnnotations())
		case s.spec.Selects() && !source.problem.IsZero():
			source.revokeAll(ctx)
		case source.metadata != nil && source.problem.IsZero():
			source.revokeBy(ctx, source.metadata.GetAnnotations())
		}
	}
	s.revokeUnselected(ctx)
	return s.unrecorded
}

// revokeUnselected is revoke of objects that the rule does not select any more, and whose owners were asked.
func (s *scope[O]) revokeUnselected(ctx context.Context) {
	for _, former := range s.formersOfCopies() {
		if former.declared != nil {
			former.revokeBy(ctx, former.declared)
		}
	}
	for _, source := range s.unselectedInOrder() {
		switch {
		case source.metadata == nil:
		case !source.isSourceGone() && !source.problem.IsZero():
			source.revokeAll(ctx)
		default:
			source.revokeBy(ctx, source.metadata.GetAnnotations())
		}
	}
}

// revokeBy deletes the copies that the owner of a source with these annotations does not permit.
func (s *sourceScope[O]) revokeBy(ctx context.Context, annotations map[string]string) {
	public := policy.PublicKeys(annotations)
	planned := map[types.NamespacedName]bool{}
	for target := range s.local.underWay { // such a write asks itself whether the owner permits it
		planned[target.NamespacedName] = true
	}
	for _, set := range s.revocableSets(ctx) {
		revoked := s.undeclared(set, public)
		if s.permission.IsLimited() {
			revoked = append(revoked, slices.DeleteFunc(set.Cache.ByOwner(s.id.Key()), func(copied destination.Copy) bool {
				return !s.isCopy(copied) || !s.isRefused(ctx, copied.Namespace) || slices.Contains(revoked, copied) ||
					s.local.revoked[set.target(copied.NamespacedName)]
			})...)
		}
		if len(revoked) > 0 {
			s.local.revoke(ctx, s, set, revoked, planned)
		}
	}
}

// namesWithCopies returns the names of the selected sources of which the rule may have copies; nil: that is not known.
func (s *scope[O]) namesWithCopies() map[string]bool {
	if !s.spec.Selects() || len(s.local.sets) == 0 {
		return nil
	}
	names := map[string]bool{}
	for _, set := range s.local.sets {
		for _, copied := range set.Cache.ByOwner(s.id.Key()) {
			of := s.mayBeOf(copied)
			if len(of) == 0 { // whichever has it
				return nil
			}
			for _, name := range of {
				names[name] = true
			}
		}
	}
	return names
}

// revokeAll deletes the copies of a source that the rule selects and whose owner does not consent, whatever becomes of the other sources.
func (s *sourceScope[O]) revokeAll(ctx context.Context) {
	planned := map[types.NamespacedName]bool{}
	for target := range s.local.underWay {
		planned[target.NamespacedName] = true
	}
	for _, set := range s.revocableSets(ctx) {
		revoked := slices.DeleteFunc(set.Cache.ByOwner(s.id.Key()), func(copied destination.Copy) bool {
			return !s.isCopy(copied) || s.local.isSource(set, copied) || s.local.revoked[set.target(copied.NamespacedName)]
		})
		if len(revoked) > 0 {
			s.local.revoke(ctx, s, set, revoked, planned)
		}
	}
}

// isCopy reports whether the copy is of the source. A rule that names its source has no others.
func (s *sourceScope[O]) isCopy(copied destination.Copy) bool {
	if s.declared != nil { // it is not merged any more
		return s.isNamedBy(&copied.State)
	}
	if !s.scope.spec.Selects() {
		return true
	}
	if s.hidesSource(copied) {
		return s.selectedAs(s.spec.Source.Name) == s && s.mayHide(copied.NamespacedName)
	}
	return slices.Contains(s.mayBeOf(copied), s.spec.Source.Name)
}

// revokeKnown deletes the copies of sources that are known by their copies, and whose owners do not consent, when the reconcile ends before it can
// decide about each copy. A source whose last event says that its owner consents is not asked.
//
// Example: one source cannot be decoded, so the sources cannot be listed. The owner of another one opts out.
func (s *scope[O]) revokeKnown(ctx context.Context) {
	asked := slices.DeleteFunc(s.unselectedSources(), func(source *sourceScope[O]) bool {
		last := source.lastEvent()
		return last.Known && !last.Deleted && source.consents(last.Annotations)
	})
	s.explainUnselected(ctx, asked)
	for _, source := range asked {
		if source.failed == nil && !source.isSourceGone() && !source.problem.IsZero() {
			source.revokeAll(ctx)
		}
	}
}

// revoke deletes the copies of a set. The deletions are not made again in this reconcile. The record of consent to the source ends; nil: it has ended.
// If that fails, the record is as it was, and the next reconcile deletes the copies.
func (m *memberScope[O]) revoke(
	ctx context.Context, source *sourceScope[O], set copySet, copies []destination.Copy, planned map[types.NamespacedName]bool,
) {
	if source != nil && m.scope.unrecorded == nil && anyRemains(copies) {
		m.scope.noteUnrecorded(source.endRecordOf(ctx)) // claim writes it again for the other copies
	}
	if m.scope.unrecorded != nil {
		return
	}
	unwanted := make([]unwantedCopy, len(copies))
	for i, copied := range copies {
		m.revoked[set.target(copied.NamespacedName)] = true
		if source != nil {
			m.revokedOf[set.target(copied.NamespacedName)] = source
		}
		unwanted[i] = unwantedCopy{copied, plan.DeleteIt}
	}
	m.sets = append(m.sets, set)
	m.revokeErr = errors.Join(m.revokeErr, m.endCopies(ctx, set, unwanted, planned))
}

// noteUnrecorded notes why a record of consent could not be ended. The reconcile ends with the first such error.
//
// Example: the owner of a source opts out while somebody edits the rule. If the copies were deleted before the record has ended, a kill in between, and
// the end of the source, would let the copies stay that were left.
func (s *scope[O]) noteUnrecorded(err error) { s.unrecorded = cmp.Or(s.unrecorded, err) }

// awaitsRevoked reports whether a copy is still there that the owner of the source does not permit. Until its end nobody may take the owner's
// consent for recorded.
//
// Example: the owner of a source permits a namespace no more while a rule is suspended, and deletes the source. After a restart, the rule is
// resumed, and retains copies of sources that are gone.
func (m *memberScope[O]) awaitsRevoked() bool {
	return slices.ContainsFunc(m.removals, func(o destination.Outcome) bool { return m.revoked[targetOf(o)] && isStuck(o) })
}

// awaitsRevoked is awaitsRevoked for the copies of one of the sources that the rule selects.
func (s *sourceScope[O]) awaitsRevoked() bool {
	return slices.ContainsFunc(s.local.removals, func(o destination.Outcome) bool { return s.local.revokedOf[targetOf(o)] == s && isStuck(o) })
}

// isStuck reports whether the copy that was to be deleted is still there.
func isStuck(o destination.Outcome) bool { return o.Failed() || o.Pending || isHeld(o) }

func targetOf(o destination.Outcome) lane.Target {
	return lane.Target{Resource: o.Place.Resource.GroupResource(), NamespacedName: o.Place.NamespacedName}
}

// undeclared returns the copies of the set, if they are ConfigMaps, that hold keys of the source, a Secret, which are not among the public ones.
func (s *sourceScope[O]) undeclared(set copySet, public sets.Set[string]) []destination.Copy {
	if set.kind.GroupKind() != configMap || s.spec.Source.GroupKind() != secret {
		return nil
	}
	return set.Cache.Select(s.id.Key(), func(_ types.NamespacedName, copied *destination.State) bool {
		return !policy.ArePublic(copied.Published, public) && copied.Names(s.spec.Source)
	})
}

// isRefused reports whether the owner of the source is known not to permit a copy in the namespace.
func (s *sourceScope[O]) isRefused(ctx context.Context, namespace string) bool {
	permits, known, err := s.planner.Permits(ctx, s.permission, namespace)
	return err == nil && known && !permits
}

// revocableSets returns the copies of the kinds of which the owner of the source may not permit some.
func (s *sourceScope[O]) revocableSets(ctx context.Context) []copySet {
	concernsAll := s.permission.IsLimited() || s.scope.spec.Selects() && !s.problem.IsZero()
	if !concernsAll && s.spec.Source.GroupKind() != secret {
		return nil
	}
	return s.setsOfKinds(ctx, func(kind schema.GroupKind) bool { return concernsAll || kind == configMap })
}

// withRevoked returns the error with which a reconcile ends; nil: it succeeds. If the rule would not be tried again, what has kept a copy from
// being revoked takes its place.
func (s *scope[O]) withRevoked(ctx context.Context, err error) error {
	if s.spec.Selects() && err != nil && s.kind != (source.Kind{}) && !errors.Is(err, errOutdated) && !errors.Is(err, plan.ErrNotRead) {
		s.revokeKnown(ctx)
	}
	if s.unrecorded != nil {
		return s.unrecorded
	}
	if stopped, ok := errors.AsType[*plan.Error](err); err != nil && (!ok || stopped.Retry && !stopped.Refused) {
		return err
	}
	if failed := joinErrors(s.local.removals); failed != nil {
		return failed
	}
	if s.local.revokeErr != nil {
		return s.unlisted(s.local.revokeErr)
	}
	return err
}
