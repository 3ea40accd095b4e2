package projector

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/projector/internal/memory"
)

// prune deletes the copies that are not planned, unless the rule retains them. Where a new copy could not be written, or is not healthy yet,
// the old one stays until it is; but not where the owner of the source does not permit one.
func (m *memberScope[O]) prune(ctx context.Context) error {
	planned, stuck := m.plannedPlaces()
	m.scope.remembered(func(r *memory.Rule) { r.Failures.RetainWrites(planned) })
	dispose, notEnded := m.scope.orphansHere(m.scope.disposalOf(ctx)), error(nil)
	for i := range m.sets {
		set := &m.sets[i]
		if i > 0 {
			clear(planned) // by the source's kind
		}
		unwanted, kept := m.divide(set, m.unplanned(ctx, i, planned), stuck, dispose)
		m.keepUnnamed(*set, kept)
		notEnded = cmp.Or(notEnded, m.endCopies(ctx, *set, m.keep(set, unwanted), planned))
		m.noteForeign(*set, planned)
	}
	removed := make(map[types.NamespacedName]bool, len(m.removals))
	for _, outcome := range m.removals {
		removed[outcome.Place.NamespacedName] = true
	}
	m.scope.remembered(func(r *memory.Rule) { r.Failures.RetainDeletions(removed) })
	m.awaitRevoked()
	if m.inventoryErr == nil {
		m.scope.remembered(func(r *memory.Rule) { r.Searched = true })
	}
	m.isPruned = notEnded == nil
	return notEnded
}

// plannedPlaces returns the places where copies are planned, and of which sources there is a planned copy in which namespaces that could not
// be written yet.
func (m *memberScope[O]) plannedPlaces() (planned map[types.NamespacedName]bool, stuck map[string]bool) {
	planned, stuck = make(map[types.NamespacedName]bool, len(m.outcomes)), map[string]bool{}
	for number, outcome := range m.outcomes {
		if isNotPermitted(outcome) {
			continue
		}
		planned[outcome.Place.NamespacedName] = true
		if outcome.Failed() || outcome.Pending || m.staged.waits && isHeld(outcome) {
			stuck[outcome.Place.Namespace+"/"+m.nameOf(m.wanted.Targets[number])] = true
		}
	}
	return planned, stuck
}

// unplanned returns the copies of a set that are not planned, also those without their label.
func (m *memberScope[O]) unplanned(ctx context.Context, number int, planned map[types.NamespacedName]bool) []destination.Copy {
	set := m.sets[number]
	found := slices.Concat(set.Cache.Unplanned(m.scope.id.Key(), planned), m.lostCopies(ctx, set, planned))
	if number == 0 {
		found = append(found, m.unlabelledKept(ctx, set, planned, found)...)
		found = append(found, m.unlabelledUnnamed(ctx, set, planned, found)...)
		found = append(found, m.unlabelledOfSelected(ctx, set, planned)...)
		found = append(found, m.notReplaced(set)...)
	}
	return found
}

// divide separates the copies that are not wanted, and what becomes of them, from those that are kept: the copy that replaces them could not be
// written yet or is not healthy yet, or it is not known what it is to be. It leaves out those that were revoked.
func (m *memberScope[O]) divide(
	set *copySet, copies []destination.Copy, stuck map[string]bool, dispose disposer,
) (unwanted []unwantedCopy, kept []destination.Copy) {
	for _, copied := range copies {
		if m.revoked[set.target(copied.NamespacedName)] {
			continue
		}
		if stuck[copied.Namespace+"/"+m.scope.nameOfSource(copied)] || m.scope.isUnknown(copied) || m.staysUntilHealthy(copied) {
			set.keepOld = true
			set.Cache.Remember(copied.NamespacedName, m.scope.id.Key()) // consent that is taken back has to reach it, also after a restart
			kept = append(kept, copied)
			continue
		}
		unwanted = append(unwanted, unwantedCopy{copied, dispose(*set, copied)})
	}
	return unwanted, kept
}

// lostCopies looks where a copy was, is not wanted any more, and cannot be seen: it is gone, or has lost its label.
func (m *memberScope[O]) lostCopies(ctx context.Context, set copySet, planned map[types.NamespacedName]bool) []destination.Copy {
	places := slices.DeleteFunc(set.Cache.Missing(m.scope.id.Key()), func(at types.NamespacedName) bool {
		return planned[at] || m.isUnderWay(set.target(at))
	})
	copies, err := m.getOwned(ctx, set, places)
	if err != nil {
		m.inventoryErr = errors.Join(m.inventoryErr, err)
		return nil
	}
	for _, at := range places {
		if !slices.ContainsFunc(copies, func(c destination.Copy) bool { return c.NamespacedName == at }) {
			set.Cache.ConfirmMissing(at, m.scope.id.Key())
		}
	}
	return copies
}

// getOwned returns the rule's copies at the places, asking the API server for each.
func (m *memberScope[O]) getOwned(ctx context.Context, set copySet, places []types.NamespacedName) ([]destination.Copy, error) {
	return m.read(ctx, len(places), func(i int) ([]destination.Copy, error) {
		copied, found, err := m.member.Writer.GetOwned(ctx, set.CopySet, places[i])
		if !found {
			return nil, err
		}
		return []destination.Copy{copied}, err
	})
}

// read asks the API server for copies so many times, several at a time.
func (m *memberScope[O]) read(ctx context.Context, count int, ask func(i int) ([]destination.Copy, error)) (copies []destination.Copy, err error) {
	var mu sync.Mutex
	var reads errgroup.Group
	reads.SetLimit(m.scope.config.ReadConcurrency)
	for i := range count {
		reads.Go(func() error {
			return m.scope.catchPanic(ctx, func() error {
				found, err := ask(i)
				mu.Lock()
				defer mu.Unlock()
				copies = append(copies, found...)
				return err
			})
		})
	}
	return copies, reads.Wait()
}

// endCopies deletes or retains copies, several at a time. A write that is under way for a place that is not planned is waited for: what it
// creates has its turn next. The deletions do not wait for the owner of the source, who is asked before copies are retained.
func (m *memberScope[O]) endCopies(ctx context.Context, set copySet, copies []unwantedCopy, planned map[types.NamespacedName]bool) error {
	copies = slices.DeleteFunc(copies, func(c unwantedCopy) bool { return c.disposal == plan.LeaveIt || m.isSource(set, c.Copy) })
	for target := range m.underWay {
		known := slices.ContainsFunc(copies, func(c unwantedCopy) bool { return c.NamespacedName == target.NamespacedName })
		if target.Resource == set.Resource.GroupResource() && !planned[target.NamespacedName] && !known && !m.revoked[target] {
			m.removals = append(m.removals, destination.Outcome{Place: set.Place(target.NamespacedName), Pending: true})
		}
	}
	var deleted, retained []unwantedCopy
	for _, c := range copies {
		if c.disposal == plan.RetainIt {
			retained = append(retained, c)
		} else {
			deleted = append(deleted, c)
		}
	}
	if m.scope.unrecorded != nil {
		return m.scope.unrecorded
	}
	m.end(ctx, set, deleted)
	if err := m.confirmRetained(ctx, set, retained); err != nil {
		return err
	}
	m.end(ctx, set, retained)
	return nil
}

// end makes a request for each copy.
func (m *memberScope[O]) end(ctx context.Context, set copySet, copies []unwantedCopy) {
	mayRetain := m.scope.mayRetain(context.WithoutCancel(ctx))
	m.requests(len(copies), func(i int) (job, func(context.Context) destination.Outcome) {
		copied, ends := copies[i], destination.Deleted
		if copied.disposal == plan.RetainIt || copied.disposal == plan.OrphanIt {
			ends = destination.Retained
		}
		return job{set: set, at: copied.NamespacedName, ends: ends, ending: copied.Terminating}, func(ctx context.Context) destination.Outcome {
			switch copied.disposal {
			case plan.RetainIt:
				return m.member.Writer.Retain(ctx, set.CopySet, copied.Copy, func() bool { return mayRetain(set, copied.Copy) })
			case plan.OrphanIt:
				return m.member.Writer.Retain(ctx, set.CopySet, copied.Copy, func() bool { return true })
			default:
				return m.member.Writer.Delete(ctx, set.CopySet, copied.Copy)
			}
		}
	})
}

// requests makes so many requests about copies that are not planned, several at a time.
func (m *memberScope[O]) requests(
	count int, request func(i int) (job, func(context.Context) destination.Outcome),
) {
	removals := make([]destination.Outcome, count)
	defer func() { m.removals = append(m.removals, removals...) }()
	step := m.beginStep()
	defer step.wait()
	namespace := func(i int) string {
		job, _ := request(i)
		return job.at.Namespace
	}
	for _, i := range m.slowLast(slices.Collect(rotatedOrder(count)), namespace) {
		job, do := request(i)
		m.request(step, job, func(outcome destination.Outcome) { removals[i] = outcome }, do)
	}
}

// nameOf returns the name of the source of a wanted copy; empty if the rule names its source.
func (m *memberScope[O]) nameOf(target plan.Target) string {
	if !m.scope.spec.Selects() {
		return ""
	}
	return m.scope.sources[target.Source].spec.Source.Name
}

// finishPrune returns the errors of requests for copies. If there are none, it removes the kinds that no copy is of any more from
// the record.
func (s *scope[O]) finishPrune(ctx context.Context) error {
	if err := joinErrors(s.local.outcomes, s.local.removals); err != nil || s.local.isPending() {
		return err
	}
	if s.local.inventoryErr != nil {
		return s.unlisted(s.local.inventoryErr)
	}
	if s.isSuspended() {
		return nil
	}
	if err := s.forgetHere(ctx); err != nil {
		return err
	}
	kinds := []schema.GroupKind{s.copyKind.GroupKind()}
	for _, set := range s.local.sets[1:] {
		left, err := s.local.hasCopies(ctx, set)
		if err != nil {
			return s.unlisted(err)
		}
		if left {
			kinds = append(kinds, set.kind.GroupKind())
			continue
		}
		s.tombstones.Add(s.id, set.Resource.GroupResource(), s.sourceIn(set), s.writer())
	}
	if err := s.finishRecord(ctx, kinds); err != nil {
		return err
	}
	if err := s.deleteLate(ctx, s.local.sets...); err != nil {
		return s.unlisted(err)
	}
	return nil
}

// finishRecord removes the kinds that no copy is of any more from the record.
func (s *scope[O]) finishRecord(ctx context.Context, kinds []schema.GroupKind) error {
	if s.branch != nil {
		return s.finishBranch(ctx, kinds)
	}
	elsewhere, known := s.kindsInClusters()
	if !known {
		return nil
	}
	return s.recordKinds(ctx, append(kinds, elsewhere...), func() {})
}

// hasCopies reports whether the rule still has copies of an earlier kind.
func (m *memberScope[O]) hasCopies(ctx context.Context, set copySet) (bool, error) {
	if set.keepOld {
		return true, nil
	}
	left, _, err := m.member.Writer.ListOwned(ctx, set.CopySet)
	return anyRemains(left), err
}

// anyRemains reports whether there is a copy that is not being deleted.
func anyRemains(copies []destination.Copy) bool {
	return slices.ContainsFunc(copies, func(c destination.Copy) bool { return !c.Terminating })
}

// deleteLate deletes copies that were written late.
func (s *scope[O]) deleteLate(ctx context.Context, sets ...copySet) (err error) {
	var suspended func() bool
	if !s.isDeleting() {
		suspended = s.suspended(ctx)
	}
	s.local.deletedLate, err = s.local.member.deleteLate(ctx, s.id.Kind, s.id.Key(), s.tombstones, "", suspended, sets...)
	return err
}
