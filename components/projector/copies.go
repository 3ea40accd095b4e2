package projector

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/destination"
)

// plan says which copies there are to be.
func (s *scope[O]) plan(ctx context.Context) error {
	if s.source == nil {
		return nil
	}
	targets, err := s.adapter.Targets(ctx, s.rule)
	if err != nil {
		return retryable(v1.ConditionDestinationWritten, v1.ReasonNamespaceResolutionFailed, err)
	}
	template, err := destination.Render(s.source, s.id, s.rule, s.config.ServerVersion)
	if err != nil { // it may quote the source
		err = apierr.Redact(s.kind.GroupVersionResource().GroupResource(), err)
		return retryable(v1.ConditionDestinationWritten, v1.ReasonDestinationWriteFailed, err)
	}
	s.template, s.targets = template, targets
	return nil
}

// apply writes the copies that are not in step, several at a time. None waits for another's fault. It returns when all
// writes have ended or, if the reconcile has to give way, as soon as no further one is begun.
func (s *scope[O]) apply() {
	defer s.deps.Sources.Settle(s.key)
	s.outcomes = make([]destination.Outcome, len(s.targets))
	if s.template == nil {
		return
	}
	set, known := s.sets[0], destination.ParseFields(s.rule.GetCommonStatus().AppliedFields)
	set.Withdrawn = s.withdrawn(s.run.base)
	writes := s.beginStep()
	defer writes.wait()
	for _, i := range s.order() {
		target := s.targets[i]
		at := s.template.At(target.Namespace)
		switch {
		case target.Blocked != "":
			set.Cache.BeginDelete(at, s.id.Key()) // its end is no drift
			s.outcomes[i] = destination.Outcome{Target: at, Reason: v1.ReasonDestinationCreateFailed, Message: target.Blocked}
		case !s.isUnderWay(set.target(at)) && set.Cache.SetDesired(at, s.id.Key(), s.template.Hash(), known):
			s.outcomes[i] = s.inSync(set, at)
		default:
			_ = s.deps.Sources.Verdict(s.key, set.Resource, at) // what a request under way has found in its way is asked for
			record := func(outcome destination.Outcome) { s.outcomes[i] = outcome }
			s.request(writes, set, at, s.template.Hash(), record, func(ctx context.Context) destination.Outcome {
				return s.deps.Writer.Apply(ctx, set.CopySet, s.template, target.Namespace)
			})
		}
	}
}

// inSync returns the outcome of a copy that is in sync, with what a request that ended since the last reconcile has done.
func (s *scope[O]) inSync(set copySet, at types.NamespacedName) destination.Outcome {
	outcome := destination.Outcome{Target: at}
	if left, found := s.late[set.target(at)]; found && !left.Failed() {
		outcome = left
		outcome.Pending = false
	}
	outcome.Fields = set.Cache.Applied(at)
	return outcome
}

// order is the order in which the targets have their turn: slow namespaces come last.
func (s *scope[O]) order() []int {
	return s.slowLast(slices.Collect(rotatedOrder(len(s.targets))), func(i int) string { return s.targets[i].Namespace })
}

// slowLast puts the indexes behind the others whose namespace is slow.
func (s *scope[O]) slowLast(indexes []int, namespace func(int) string) []int {
	fast, slow := make([]int, 0, len(indexes)), []int(nil)
	for _, i := range indexes {
		if s.deps.Lanes.IsSlow(namespace(i)) {
			slow = append(slow, i)
		} else {
			fast = append(fast, i)
		}
	}
	return append(fast, slow...)
}

// rotatedOrder is the order in which so many targets have their turn. It begins elsewhere in every pass: where slow targets use
// up the time of a pass, the next one comes to others.
func rotatedOrder(targets int) iter.Seq[int] {
	return func(yield func(int) bool) {
		first := rand.IntN(max(1, targets)) //nolint:gosec // no secret: whoever guesses it gains nothing
		for i := range targets {
			if !yield((first + i) % targets) {
				return
			}
		}
	}
}

// prune deletes the copies that are not planned. Where a new copy could not be written, the old one stays until it can.
func (s *scope[O]) prune(ctx context.Context) {
	planned, stuck := make(map[types.NamespacedName]bool, len(s.outcomes)), map[string]bool{}
	for _, outcome := range s.outcomes {
		planned[outcome.Target] = true
		if outcome.Failed() || outcome.Pending {
			stuck[outcome.Target.Namespace] = true
		}
	}
	s.lastFailures.retain(s.id.Key(), planned)
	for i := range s.sets {
		set := &s.sets[i]
		if i > 0 {
			clear(planned) // by the source's kind
		}
		var stale []destination.Copy
		for _, copied := range slices.Concat(set.Cache.Unplanned(s.id.Key(), planned), s.lostCopies(ctx, *set, planned)) {
			if stuck[copied.Namespace] {
				set.keepOld = true
				continue
			}
			stale = append(stale, copied)
		}
		s.deleteCopies(*set, stale, planned)
		s.noteForeign(*set, planned)
	}
}

// lostCopies looks where a copy was, is not wanted any more, and cannot be seen: it is gone, or has lost its label.
func (s *scope[O]) lostCopies(ctx context.Context, set copySet, planned map[types.NamespacedName]bool) []destination.Copy {
	places := slices.DeleteFunc(set.Cache.Missing(s.id.Key()), func(at types.NamespacedName) bool {
		return planned[at] || s.isUnderWay(set.target(at))
	})
	copies, err := s.getOwned(ctx, set, places)
	if err != nil {
		s.inventoryErr = errors.Join(s.inventoryErr, err)
		return nil
	}
	for _, at := range places {
		set.Cache.Abort(at, s.id.Key())
	}
	return copies
}

// getOwned returns the rule's copies at the places, asking the API server for each.
func (s *scope[O]) getOwned(ctx context.Context, set copySet, places []types.NamespacedName) ([]destination.Copy, error) {
	var mu sync.Mutex
	var copies []destination.Copy
	var reads errgroup.Group
	reads.SetLimit(s.config.ReadConcurrency)
	for _, at := range places {
		reads.Go(func() error {
			return s.catchPanic(ctx, func() error {
				copied, found, err := s.deps.Writer.GetOwned(ctx, set.CopySet, at)
				if found {
					mu.Lock()
					defer mu.Unlock()
					copies = append(copies, copied)
				}
				return err
			})
		})
	}
	return copies, reads.Wait()
}

// deleteCopies deletes copies, several at a time. A write that is under way for a place that is not planned is waited for: what it
// creates is deleted next.
func (s *scope[O]) deleteCopies(set copySet, copies []destination.Copy, planned map[types.NamespacedName]bool) {
	copies = slices.DeleteFunc(copies, func(c destination.Copy) bool { return s.isSource(set, c) })
	for target := range s.underWay {
		known := slices.ContainsFunc(copies, func(c destination.Copy) bool { return c.NamespacedName == target.NamespacedName })
		if target.Resource == set.Resource.GroupResource() && !planned[target.NamespacedName] && !known {
			s.removals = append(s.removals, destination.Outcome{Target: target.NamespacedName, Pending: true})
		}
	}
	removals := make([]destination.Outcome, len(copies))
	defer func() { s.removals = append(s.removals, removals...) }()
	deletions := s.beginStep()
	defer deletions.wait()
	for _, i := range s.slowLast(slices.Collect(rotatedOrder(len(copies))), func(i int) string { return copies[i].Namespace }) {
		copied := copies[i]
		record := func(outcome destination.Outcome) { removals[i] = outcome }
		s.request(deletions, set, copied.NamespacedName, "", record, func(ctx context.Context) destination.Outcome {
			return s.deps.Writer.Delete(ctx, set.CopySet, copied)
		})
	}
}

// isSource tells whether it is the rule's own source, which is never deleted, whatever marks it bears. One that the rule
// has applied is a copy for all that: the rule was made to name it as its source later.
func (s *scope[O]) isSource(set copySet, copied destination.Copy) bool {
	return set.kind.GroupKind() == s.rule.GetSource().GroupKind() && copied.NamespacedName == s.sourceKey() && !copied.Applied()
}

func (s *scope[O]) sourceKey() types.NamespacedName {
	ref := s.before.GetSource()
	return types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}
}

// finishPrune returns what has to be tried again, and else forgets the kinds that no copy is of any more.
func (s *scope[O]) finishPrune(ctx context.Context) error {
	if err := joinErrors(s.outcomes, s.removals); err != nil || s.isPending() {
		return err
	}
	if s.inventoryErr != nil {
		return pruneUnknown(s.inventoryErr)
	}
	kinds := []schema.GroupKind{s.kind.GroupKind()}
	for _, set := range s.sets[1:] {
		left, err := s.hasCopies(ctx, set)
		if err != nil {
			return pruneUnknown(err)
		}
		if left {
			kinds = append(kinds, set.kind.GroupKind())
			continue
		}
		s.tombstones.note(s.id, set.Resource.GroupResource(), s.sourceKey())
	}
	if err := s.recordKinds(ctx, kinds, func() {}); err != nil {
		return err
	}
	if err := s.deleteLate(ctx, s.id.Key(), s.sets...); err != nil {
		return pruneUnknown(err)
	}
	return nil
}

// pruneUnknown says that all copies are in step, but that it is not known whether others are left.
func pruneUnknown(err error) error {
	return retryable(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, fmt.Errorf("look for copies that are no longer wanted: %w", err))
}

// hasCopies tells whether the rule still has copies of an earlier kind.
func (s *scope[O]) hasCopies(ctx context.Context, set copySet) (bool, error) {
	if set.keepOld {
		return true, nil
	}
	left, err := s.deps.Writer.ListOwned(ctx, set.CopySet)
	return anyRemains(left), err
}

// anyRemains tells whether there is a copy that is not being deleted.
func anyRemains(copies []destination.Copy) bool {
	return slices.ContainsFunc(copies, func(c destination.Copy) bool { return !c.Terminating })
}

// namedErrors is how many errors a pass returns in full.
const namedErrors = 3

func joinErrors(lists ...[]destination.Outcome) error {
	var errs []error
	for _, outcome := range filter(func(o destination.Outcome) bool { return o.Err != nil && !o.Pending }, lists...) {
		errs = append(errs, outcome.Err)
	}
	if more := len(errs) - namedErrors; more > 0 {
		errs = append(errs[:namedErrors], fmt.Errorf("and %d more copies failed", more))
	}
	return errors.Join(errs...)
}
