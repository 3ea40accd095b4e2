package lane

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// budget is the part that one request has of what the requests of a rule, or all requests, share. Requests that are slow
// count against a budget of their own.
type budget struct {
	fast, slow *semaphore.Weighted
	// overflows has a request that becomes slow leave the fast budget even if the slow one is used up.
	overflows bool

	mu    sync.Mutex
	taken *semaphore.Weighted // nil: nothing, or no more
}

// take waits for a part of the budget, and reports false if the context ends first.
func (b *budget) take(ctx context.Context, isSlow bool) bool {
	from := b.fast
	if isSlow {
		from = b.slow
	}
	if from.Acquire(ctx, 1) != nil {
		return false
	}
	b.taken = from
	return true
}

// becomeSlow moves a request that is under way from the fast budget to the slow one.
func (b *budget) becomeSlow() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.taken != b.fast {
		return
	}
	switch {
	case b.slow.TryAcquire(1):
		b.taken = b.slow
	case b.overflows:
		b.taken = nil
	default:
		return
	}
	b.fast.Release(1)
}

// release gives the part back.
func (b *budget) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.taken != nil {
		b.taken.Release(1)
		b.taken = nil
	}
}
