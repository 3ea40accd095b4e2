package projector

import (
	"context"
	"errors"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/source"
)

// finalize deletes the copies of a rule that is being deleted, and lets the rule go. As long as it is not known which
// copies there are, the rule waits.
func (s *scope[O]) finalize(ctx context.Context) error {
	if !controllerutil.ContainsFinalizer(s.rule, s.id.Kind.Finalizer) {
		return s.deleteLate(ctx, s.id.Key())
	}
	sets, blind := s.loadRecordedInventory(ctx)
	for _, set := range sets {
		if err := s.deleteAll(ctx, set); err != nil {
			return retryable(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, err)
		}
	}
	if err := joinErrors(s.removals); err != nil || s.isPending() {
		return err
	}
	if blind != nil {
		return retryable(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, blind)
	}
	for _, set := range sets {
		s.tombstones.note(s.id, set.Resource.GroupResource(), s.sourceKey())
	}
	return s.removeFinalizer(ctx)
}

// loadRecordedInventory opens the sets of all kinds that the rule may have copies of: the recorded ones and, if the record was lost, the
// one that it names now. The error names those that may have copies which cannot be known.
func (s *scope[O]) loadRecordedInventory(ctx context.Context) ([]copySet, error) {
	recorded := recordedKinds(s.rule)
	if named := s.rule.GetSource().GroupKind(); len(recorded) == 0 || !slices.Contains(recorded, named) && s.isServed(ctx, named) {
		recorded = append(recorded, named)
	}
	kinds, blind := s.deps.Resolver.ServedKinds(ctx, recorded)
	if blind != nil {
		blind = s.explainKept(blind, "remove the finalizer "+s.id.Kind.Finalizer+" by hand")
	}
	sets, err := s.openCopySets(ctx, kinds)
	return sets, errors.Join(blind, err)
}

// isServed reports whether the kind is served, or may be. A rule does not wait for a kind that is not served and that its
// record lacks: no object of that kind was written.
func (s *scope[O]) isServed(ctx context.Context, kind schema.GroupKind) bool {
	_, err := s.deps.Resolver.ResolveKind(ctx, kind)
	return !source.IsKindError(err)
}

// deleteAll deletes the copies of one kind. The API server is asked, since the watch may not know our last write yet.
func (s *scope[O]) deleteAll(ctx context.Context, set copySet) error {
	copies := map[types.NamespacedName]destination.Copy{}
	for _, copied := range set.Cache.ByOwner(s.id.Key()) {
		copies[copied.NamespacedName] = copied
	}
	surveyed, err := s.deps.Writer.ListOwned(ctx, set.CopySet)
	if err != nil {
		return err
	}
	for _, copied := range surveyed {
		copies[copied.NamespacedName] = copied
	}
	hidden, err := s.findUnlabelled(ctx, set, copies)
	if err != nil {
		return err
	}
	s.deleteCopies(set, slices.AppendSeq(hidden, maps.Values(copies)), nil)
	s.noteForeign(set, nil)
	for _, stranger := range set.Cache.Released(s.id.UID) {
		s.removals = append(s.removals, destination.Outcome{Target: stranger.NamespacedName, Action: destination.LeftAlone})
	}
	return nil
}

// findUnlabelled finds copies that have lost their label, at the rule's targets where none is known. If the status tells of no
// copy it was not there to lose one, and thousands of targets need not be looked at.
func (s *scope[O]) findUnlabelled(ctx context.Context, set copySet, known map[types.NamespacedName]destination.Copy) ([]destination.Copy, error) {
	if s.rule.GetCommonStatus().DestinationName == "" {
		return nil, nil
	}
	targets, err := s.adapter.Targets(ctx, s.rule)
	if err != nil {
		return nil, err
	}
	var places []types.NamespacedName
	for _, target := range targets {
		at := types.NamespacedName{Namespace: target.Namespace, Name: s.rule.GetDestinationName()}
		if _, found := known[at]; !found && target.Blocked == "" {
			places = append(places, at)
		}
	}
	return s.getOwned(ctx, set, places)
}

// removeFinalizer takes our finalizer off, and with it the rule out of our hands.
func (s *scope[O]) removeFinalizer(ctx context.Context) error {
	base := s.rule.DeepCopyObject().(O)
	controllerutil.RemoveFinalizer(s.rule, s.id.Kind.Finalizer)
	return s.patch(ctx, base)
}
