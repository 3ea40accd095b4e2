package projector

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"projection.sh/operator/components/destination"
)

// finalize deletes or retains the copies of a rule that is being deleted, and then removes the finalizer. As long as it is not known which
// copies there are, the rule waits. A rule that goes with its namespace, as its copies do, waits for nothing.
//
// Example: a tenant's namespace is deleted, and the operator is not allowed to delete the copy in it.
func (s *scope[O]) finalize(ctx context.Context) error {
	for _, check := range []func(context.Context) error{s.resolveClusters, s.checkHere, s.checkBranch} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	if !controllerutil.ContainsFinalizer(s.rule, s.id.Kind.Finalizer) {
		return s.deleteLate(ctx)
	}
	if s.adapter.IsEnding != nil && len(s.local.underWay) == 0 && s.adapter.IsEnding(ctx, s.rule) {
		return s.removeFinalizer(ctx)
	}
	inventoryErr, notEnded := s.local.loadRecordedInventory(ctx), error(nil)
	for _, set := range s.local.sets {
		copies, err := s.local.allCopies(ctx, set, s.disposalOf(ctx))
		if err != nil {
			return s.unlisted(err)
		}
		notEnded = cmp.Or(notEnded, s.local.endCopies(ctx, set, copies, nil))
		s.local.noteForeign(set, nil)
	}
	if notEnded != nil {
		return notEnded
	}
	if err := joinErrors(s.local.removals); err != nil || s.local.isPending() {
		return err
	}
	if inventoryErr != nil {
		return s.unlisted(inventoryErr)
	}
	for _, set := range s.local.sets {
		s.tombstones.Add(s.id, set.Resource.GroupResource(), s.sourceIn(set), s.writer())
	}
	if err := s.awaitClusters(ctx); err != nil {
		return err
	}
	return s.removeFinalizer(ctx)
}

// allCopies returns the copies of one kind, and what becomes of them. The API server is asked, since the watch may not know our last write yet.
func (m *memberScope[O]) allCopies(ctx context.Context, set copySet, dispose disposer) ([]unwantedCopy, error) {
	copies := map[types.NamespacedName]destination.Copy{}
	for _, copied := range set.Cache.ByOwner(m.scope.id.Key()) {
		copies[copied.NamespacedName] = copied
	}
	listed, released, err := m.member.Writer.ListOwned(ctx, set.CopySet)
	if err != nil {
		return nil, err
	}
	for _, copied := range listed {
		copies[copied.NamespacedName] = copied
	}
	lost, err := m.getOwned(ctx, set, set.Cache.Missing(m.scope.id.Key()))
	if err != nil {
		return nil, err
	}
	for _, copied := range lost {
		copies[copied.NamespacedName] = copied
	}
	unlabelled, err := m.findUnlabelled(ctx, set, copies)
	if err != nil {
		return nil, err
	}
	var unwanted []unwantedCopy
	for _, copied := range slices.AppendSeq(unlabelled, maps.Values(copies)) {
		unwanted = append(unwanted, unwantedCopy{copied, dispose(set, copied)})
	}
	for _, left := range released {
		m.removals = append(m.removals, destination.Outcome{Place: set.Place(left.NamespacedName), Action: destination.LeftAlone})
	}
	return unwanted, nil
}

// findUnlabelled finds copies that have lost their label, at those of the rule's targets where no copy is known. If the status
// reports no copy, none can have lost its label, and thousands of targets need not be read.
func (m *memberScope[O]) findUnlabelled(ctx context.Context, set copySet, known map[types.NamespacedName]destination.Copy) ([]destination.Copy, error) {
	if !m.scope.rule.GetCommonStatus().MayHaveCopies() {
		return nil, nil
	}
	targets, err := m.scope.adapter.Targets(ctx, m.scope.rule)
	if err != nil {
		return nil, err
	}
	if m.scope.hasNameExpression() || m.scope.spec.Selects() ||
		m.scope.rule.GetCommonStatus().DestinationNames != nil { // the expression may have been removed since
		return m.findWithoutNames(ctx, set, known, targets)
	}
	var places []types.NamespacedName
	for _, target := range targets {
		at := types.NamespacedName{Namespace: target.Namespace, Name: m.scope.spec.Name}
		if _, found := known[at]; !found && target.Blocked == "" {
			places = append(places, at)
		}
	}
	return m.getOwned(ctx, set, places)
}
