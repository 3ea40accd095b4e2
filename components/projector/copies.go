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
	"projection.sh/operator/components/answer"
	"projection.sh/operator/components/destination"
)

// plan says which copies there are to be.
func (p *pass[O]) plan(ctx context.Context) error {
	if p.source == nil {
		return nil
	}
	targets, err := p.rules.Targets(ctx, p.rule)
	if err != nil {
		return unknown(v1.ConditionDestinationWritten, v1.ReasonNamespaceResolutionFailed, err)
	}
	template, err := destination.Render(p.source, p.id, p.rule, p.settings.ServerVersion)
	if err != nil { // it may quote the source
		err = answer.Veil(p.kind.GroupVersionResource().GroupResource(), err)
		return unknown(v1.ConditionDestinationWritten, v1.ReasonDestinationWriteFailed, err)
	}
	p.template, p.targets = template, targets
	return nil
}

// converge writes the copies that are not in step, several at a time. None waits for another's fault. It returns when all
// writes have ended or, if the reconcile has to give way, as soon as no further one is begun.
func (p *pass[O]) converge() {
	defer p.parts.Sources.Settle(p.waker)
	p.outcomes = make([]destination.Outcome, len(p.targets))
	if p.template == nil {
		return
	}
	desk, known := p.desks[0], destination.ParseFields(p.rule.GetCommonStatus().AppliedFields)
	desk.Withdrawn = p.withdrawn(p.run.base)
	writes := p.beginStep()
	defer writes.wait()
	for _, i := range p.order() {
		target := p.targets[i]
		at := p.template.At(target.Namespace)
		switch {
		case target.Obstacle != "":
			desk.Ledger.Leave(at, p.id.Key()) // its end is no drift
			p.outcomes[i] = destination.Outcome{Target: at, Reason: v1.ReasonDestinationCreateFailed, Message: target.Obstacle}
		case !p.isUnderWay(desk.target(at)) && desk.Ledger.Want(at, p.id.Key(), p.template.Hash(), known):
			p.outcomes[i] = p.inSync(desk, at)
		default:
			_ = p.parts.Sources.Verdict(p.waker, desk.Resource, at) // what a request under way has found in its way is asked for
			set := func(outcome destination.Outcome) { p.outcomes[i] = outcome }
			p.request(writes, desk, at, p.template.Hash(), set, func(ctx context.Context) destination.Outcome {
				return p.parts.Writer.Apply(ctx, desk.Desk, p.template, target.Namespace)
			})
		}
	}
}

// inSync returns the outcome of a copy that is in sync, with what a request that ended since the last reconcile has done.
func (p *pass[O]) inSync(desk desk, at types.NamespacedName) destination.Outcome {
	outcome := destination.Outcome{Target: at}
	if left, found := p.left[desk.target(at)]; found && !left.Failed() {
		outcome = left
		outcome.Pending = false
	}
	outcome.Fields = desk.Ledger.Applied(at)
	return outcome
}

// order is the order in which the targets have their turn: slow namespaces come last.
func (p *pass[O]) order() []int {
	return p.slowLast(slices.Collect(turns(len(p.targets))), func(i int) string { return p.targets[i].Namespace })
}

// slowLast puts the indexes behind the others whose namespace is slow.
func (p *pass[O]) slowLast(indexes []int, namespace func(int) string) []int {
	fast, slow := make([]int, 0, len(indexes)), []int(nil)
	for _, i := range indexes {
		if p.parts.Lanes.IsSlow(namespace(i)) {
			slow = append(slow, i)
		} else {
			fast = append(fast, i)
		}
	}
	return append(fast, slow...)
}

// turns is the order in which so many targets have their turn. It begins elsewhere in every pass: where slow targets use
// up the time of a pass, the next one comes to others.
func turns(targets int) iter.Seq[int] {
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
func (p *pass[O]) prune(ctx context.Context) {
	planned, stuck := make(map[types.NamespacedName]bool, len(p.outcomes)), map[string]bool{}
	for _, outcome := range p.outcomes {
		planned[outcome.Target] = true
		if outcome.Failed() || outcome.Pending {
			stuck[outcome.Target.Namespace] = true
		}
	}
	p.failing.retain(p.id.Key(), planned)
	for i := range p.desks {
		desk := &p.desks[i]
		if i > 0 {
			clear(planned) // by the source's kind
		}
		var stale []destination.Copy
		for _, copied := range slices.Concat(desk.Ledger.Unplanned(p.id.Key(), planned), p.suspects(ctx, *desk, planned)) {
			if stuck[copied.Namespace] {
				desk.kept = true
				continue
			}
			stale = append(stale, copied)
		}
		p.remove(*desk, stale, planned)
		p.meet(*desk, planned)
	}
}

// suspects looks where a copy was, is not wanted any more, and cannot be seen: it is gone, or has lost its label.
func (p *pass[O]) suspects(ctx context.Context, desk desk, planned map[types.NamespacedName]bool) []destination.Copy {
	places := slices.DeleteFunc(desk.Ledger.Absent(p.id.Key()), func(at types.NamespacedName) bool {
		return planned[at] || p.isUnderWay(desk.target(at))
	})
	copies, err := p.find(ctx, desk, places)
	if err != nil {
		p.blind = errors.Join(p.blind, err)
		return nil
	}
	for _, at := range places {
		desk.Ledger.Abandon(at, p.id.Key())
	}
	return copies
}

// find returns the rule's copies at the places, asking the API server for each.
func (p *pass[O]) find(ctx context.Context, desk desk, places []types.NamespacedName) ([]destination.Copy, error) {
	var mu sync.Mutex
	var copies []destination.Copy
	var reads errgroup.Group
	reads.SetLimit(p.settings.ReadConcurrency)
	for _, at := range places {
		reads.Go(func() error {
			return p.recovering(ctx, func() error {
				copied, found, err := p.parts.Writer.Find(ctx, desk.Desk, at)
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

// remove deletes copies, several at a time. A write that is under way for a place that is not planned is waited for: what it
// creates is deleted next.
func (p *pass[O]) remove(desk desk, copies []destination.Copy, planned map[types.NamespacedName]bool) {
	copies = slices.DeleteFunc(copies, func(c destination.Copy) bool { return p.isSource(desk, c) })
	for target := range p.underWay {
		known := slices.ContainsFunc(copies, func(c destination.Copy) bool { return c.NamespacedName == target.NamespacedName })
		if target.Resource == desk.Resource.GroupResource() && !planned[target.NamespacedName] && !known {
			p.removals = append(p.removals, destination.Outcome{Target: target.NamespacedName, Pending: true})
		}
	}
	removals := make([]destination.Outcome, len(copies))
	defer func() { p.removals = append(p.removals, removals...) }()
	deletions := p.beginStep()
	defer deletions.wait()
	for _, i := range p.slowLast(slices.Collect(turns(len(copies))), func(i int) string { return copies[i].Namespace }) {
		copied := copies[i]
		set := func(outcome destination.Outcome) { removals[i] = outcome }
		p.request(deletions, desk, copied.NamespacedName, "", set, func(ctx context.Context) destination.Outcome {
			return p.parts.Writer.Remove(ctx, desk.Desk, copied)
		})
	}
}

// isSource tells whether it is the rule's own source, which is never deleted, whatever marks it bears. One that the rule
// has applied is a copy for all that: the rule was made to name it as its source later.
func (p *pass[O]) isSource(desk desk, copied destination.Copy) bool {
	return desk.kind.GroupKind() == p.rule.GetSource().GroupKind() && copied.NamespacedName == p.sourceAt() && !copied.Applied()
}

func (p *pass[O]) sourceAt() types.NamespacedName {
	ref := p.before.GetSource()
	return types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}
}

// settle returns what has to be tried again, and else forgets the kinds that no copy is of any more.
func (p *pass[O]) settle(ctx context.Context) error {
	if err := failures(p.outcomes, p.removals); err != nil || p.isPending() {
		return err
	}
	if p.blind != nil {
		return unsettled(p.blind)
	}
	kinds := []schema.GroupKind{p.kind.GroupKind()}
	for _, desk := range p.desks[1:] {
		left, err := p.stays(ctx, desk)
		if err != nil {
			return unsettled(err)
		}
		if left {
			kinds = append(kinds, desk.kind.GroupKind())
			continue
		}
		p.partings.note(p.id, desk.Resource.GroupResource(), p.sourceAt())
	}
	if err := p.record(ctx, kinds, func() {}); err != nil {
		return err
	}
	if err := p.sweep(ctx, p.id.Key(), p.desks...); err != nil {
		return unsettled(err)
	}
	return nil
}

// unsettled says that all copies are in step, but that it is not known whether others are left.
func unsettled(err error) error {
	return unknown(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, fmt.Errorf("look for copies that are no longer wanted: %w", err))
}

// stays tells whether the rule still has copies of an earlier kind.
func (p *pass[O]) stays(ctx context.Context, desk desk) (bool, error) {
	if desk.kept {
		return true, nil
	}
	left, err := p.parts.Writer.Survey(ctx, desk.Desk)
	return anyStays(left), err
}

// anyStays tells whether there is a copy that is not being deleted.
func anyStays(copies []destination.Copy) bool {
	return slices.ContainsFunc(copies, func(c destination.Copy) bool { return !c.Terminating })
}

// namedErrors is how many errors a pass returns in full.
const namedErrors = 3

func failures(lists ...[]destination.Outcome) error {
	var errs []error
	for _, outcome := range those(func(o destination.Outcome) bool { return o.Err != nil && !o.Pending }, lists...) {
		errs = append(errs, outcome.Err)
	}
	if more := len(errs) - namedErrors; more > 0 {
		errs = append(errs[:namedErrors], fmt.Errorf("and %d more copies failed", more))
	}
	return errors.Join(errs...)
}
