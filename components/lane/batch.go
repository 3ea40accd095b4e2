package lane

import (
	"context"
	"sync"
	"time"

	"projection.sh/operator/components/watch"
)

// Batch is the requests that one reconcile makes and waits for. It is used by one goroutine.
type Batch[R any] struct {
	lanes  *Lanes[R]
	of     watch.RuleKey
	rule   *rule[R]
	onSlow func()
	jobs   sync.WaitGroup

	closed bool // nobody waits for results any more; guarded by lanes.mu
}

// Open returns a batch of the rule. The caller has to end it by Wait. The batch calls onSlow, possibly more than once, when
// one of its requests is slow or is made in a slow lane.
func (l *Lanes[R]) Open(of watch.RuleKey, onSlow func()) *Batch[R] {
	l.mu.Lock()
	defer l.mu.Unlock()
	rule := l.rule(of)
	rule.batches++
	return &Batch[R]{lanes: l, of: of, rule: rule, onSlow: onSlow}
}

// Go waits until the rule's own limit allows another request, and then makes it in another goroutine. That goroutine passes
// the result to done, unless the batch is closed by then. No request is made if the context ends first, or if the lane has
// no slot in time.
func (b *Batch[R]) Go(ctx context.Context, target Target, request func() R, done func(R)) {
	name := b.lanes.nameOf(target)
	own := &budget{fast: b.rule.fast, slow: b.rule.slow, overflows: true}
	if ctx.Err() != nil || !own.take(ctx, b.lanes.IsSlow(name)) {
		return
	}
	b.jobs.Go(func() {
		defer own.release()
		if b.lanes.enter(ctx, b.of, name) {
			b.run(ctx, name, target, own, request, done)
		}
	})
}

// Wait closes the batch when all of its requests have ended, or when the context ends. Requests that are under way then go
// on, and the rule is enqueued when one of them ends.
func (b *Batch[R]) Wait(ctx context.Context) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.jobs.Wait()
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	b.lanes.mu.Lock()
	defer b.lanes.mu.Unlock()
	b.closed = true
	b.rule.batches--
	b.lanes.collect(b.of, b.rule)
}

// run makes the request in a slot of its lane.
func (b *Batch[R]) run(ctx context.Context, name string, target Target, own *budget, request func() R, done func(R)) {
	limits := b.lanes.limits
	shared, admitted := b.admit(ctx, name, target)
	if !admitted {
		b.lanes.leave(name)
		return
	}
	began := time.Now()
	late := time.AfterFunc(limits.Slow, func() {
		b.lanes.markSlow(name, true)
		own.becomeSlow()
		shared.becomeSlow()
		b.onSlow()
	})
	result := request()
	late.Stop()
	shared.release()
	if time.Since(began) < limits.Slow {
		b.lanes.markSlow(name, false)
	}
	if left := b.end(target, result, done); left {
		b.lanes.enqueue(b.of)
	}
	b.lanes.leave(name)
}

// admit takes a part of the budget that the lane draws on, and notes that the request is under way.
func (b *Batch[R]) admit(ctx context.Context, name string, target Target) (*budget, bool) {
	l := b.lanes
	slow, shared := l.IsSlow(name), &budget{fast: l.fast, slow: l.slow}
	if slow {
		b.onSlow()
	}
	if !shared.take(ctx, slow) {
		return nil, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.closed || has(b.rule.underWay, target) {
		shared.release()
		return nil, false
	}
	b.rule.underWay[target] = struct{}{}
	return shared, true
}

// end notes that a request has ended. It reports whether its result is left for the next reconcile.
func (b *Batch[R]) end(target Target, result R, done func(R)) (left bool) {
	l := b.lanes
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(b.rule.underWay, target)
	if !b.closed {
		done(result)
		return false
	}
	b.rule.left[target] = result
	return true
}
