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
	of     watch.Rule
	rule   *rule[R]
	onSlow func()
	jobs   sync.WaitGroup

	closed bool // nobody waits for results any more; guarded by lanes.mu
}

// Open returns a batch of the rule. The caller has to end it by Wait. The batch calls onSlow, possibly more than once, when
// one of its requests is slow or is made to a slow namespace.
func (l *Lanes[R]) Open(of watch.Rule, onSlow func()) *Batch[R] {
	l.mu.Lock()
	defer l.mu.Unlock()
	rule := l.rule(of)
	rule.batches++
	return &Batch[R]{lanes: l, of: of, rule: rule, onSlow: onSlow}
}

// Go waits until the rule's own limit allows another request, and then makes it in another goroutine. That goroutine passes
// the result to done, unless the batch is closed by then. No request is made if the context ends first, or if the namespace
// has no slot in time.
func (b *Batch[R]) Go(ctx context.Context, target Target, request func() R, done func(R)) {
	if ctx.Err() != nil || b.rule.slots.Acquire(ctx, 1) != nil {
		return
	}
	b.jobs.Go(func() {
		defer b.rule.slots.Release(1)
		if b.lanes.enter(ctx, b.of, target.Namespace) {
			b.run(ctx, target, request, done)
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

// run makes the request in a slot of its namespace.
func (b *Batch[R]) run(ctx context.Context, target Target, request func() R, done func(R)) {
	limits := b.lanes.limits
	budget, admitted := b.admit(ctx, target)
	if !admitted {
		b.lanes.leave(target.Namespace)
		return
	}
	began := time.Now()
	late := time.AfterFunc(limits.Slow, func() {
		b.lanes.markSlow(target.Namespace, true)
		budget.becomeSlow()
		b.onSlow()
	})
	result := request()
	late.Stop()
	budget.release()
	if time.Since(began) < limits.Slow {
		b.lanes.markSlow(target.Namespace, false)
	}
	if left := b.end(target, result, done); left {
		b.lanes.enqueue(b.of)
	}
	b.lanes.leave(target.Namespace)
}

// admit takes a part of a budget for the request, and notes that the request is under way. It reports false if the context
// or the batch has ended, or if another request for the target is under way.
func (b *Batch[R]) admit(ctx context.Context, target Target) (*budget, bool) {
	l := b.lanes
	taken := &budget{fast: l.fast, slow: l.slow}
	if l.IsSlow(target.Namespace) {
		b.onSlow()
		taken.isSlow = l.slow.TryAcquire(1)
	}
	if !taken.isSlow && l.fast.Acquire(ctx, 1) != nil {
		return nil, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.closed || has(b.rule.underWay, target) {
		taken.release()
		return nil, false
	}
	b.rule.underWay[target] = struct{}{}
	return taken, true
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
