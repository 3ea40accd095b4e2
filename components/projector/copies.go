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

// converge writes the copies that are not in step, several at a time. None waits for another's fault.
func (p *pass[O]) converge(ctx context.Context) {
	defer p.parts.Sources.Settle(p.waker)
	p.outcomes = make([]destination.Outcome, len(p.targets))
	if p.template == nil {
		return
	}
	desk, known := p.desks[0].Desk, destination.ParseFields(p.rule.GetCommonStatus().AppliedFields)
	writes := p.requests()
	for i := range turns(len(p.targets)) {
		target := p.targets[i]
		at := p.template.At(target.Namespace)
		switch {
		case target.Obstacle != "":
			p.outcomes[i] = destination.Outcome{Target: at, Reason: v1.ReasonDestinationCreateFailed, Message: target.Obstacle}
		case desk.Ledger.Want(at, p.id.Key(), p.template.Hash(), known):
			p.outcomes[i] = destination.Outcome{Target: at, Fields: desk.Ledger.Applied(at)}
		default:
			writes.Go(func() error {
				p.outcomes[i] = p.parts.Writer.Apply(ctx, desk, p.template, target.Namespace)
				return nil
			})
		}
	}
	_ = writes.Wait() // every write has an outcome of its own
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
		if outcome.Failed() {
			stuck[outcome.Target.Namespace] = true
		}
	}
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
		p.remove(ctx, *desk, stale)
	}
}

// suspects looks where a copy was, is not wanted any more, and cannot be seen: it is gone, or has lost its label.
func (p *pass[O]) suspects(ctx context.Context, desk desk, planned map[types.NamespacedName]bool) []destination.Copy {
	places := slices.DeleteFunc(desk.Ledger.Absent(p.id.Key()), func(at types.NamespacedName) bool { return planned[at] })
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
	reads := p.requests()
	for _, at := range places {
		reads.Go(func() error {
			copied, found, err := p.parts.Writer.Find(ctx, desk.Desk, at)
			if found {
				mu.Lock()
				defer mu.Unlock()
				copies = append(copies, copied)
			}
			return err
		})
	}
	return copies, reads.Wait()
}

// remove deletes copies, several at a time.
func (p *pass[O]) remove(ctx context.Context, desk desk, copies []destination.Copy) {
	copies = slices.DeleteFunc(copies, func(c destination.Copy) bool { return p.isSource(desk, c) })
	removals := make([]destination.Outcome, len(copies))
	deletions := p.requests()
	for i, copied := range copies {
		deletions.Go(func() error {
			removals[i] = p.parts.Writer.Remove(ctx, desk.Desk, copied)
			return nil
		})
	}
	_ = deletions.Wait() // every deletion has an outcome of its own
	p.removals = append(p.removals, removals...)
}

// isSource tells whether it is the rule's own source, which is never deleted, whatever marks it bears. One that the rule
// has applied is a copy for all that: the rule was made to name it as its source later.
func (p *pass[O]) isSource(desk desk, copied destination.Copy) bool {
	return desk.kind.GroupKind() == p.rule.GetSource().GroupKind() && copied.NamespacedName == p.sourceAt() && !copied.Applied()
}

func (p *pass[O]) sourceAt() types.NamespacedName {
	ref := p.rule.GetSource()
	return types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}
}

// requests returns a group that makes as many requests at a time as one rule may.
func (p *pass[O]) requests() *errgroup.Group {
	var requests errgroup.Group
	requests.SetLimit(p.settings.WriteConcurrency)
	return &requests
}

// settle returns what has to be tried again, and else forgets the kinds that no copy is of any more.
func (p *pass[O]) settle(ctx context.Context) error {
	if err := failures(p.outcomes, p.removals); err != nil {
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
	for _, outcome := range those(func(o destination.Outcome) bool { return o.Err != nil }, lists...) {
		errs = append(errs, outcome.Err)
	}
	if more := len(errs) - namedErrors; more > 0 {
		errs = append(errs[:namedErrors], fmt.Errorf("and %d more copies failed", more))
	}
	return errors.Join(errs...)
}
