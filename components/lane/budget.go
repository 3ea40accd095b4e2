package lane

import (
	"sync"

	"golang.org/x/sync/semaphore"
)

// budget is the part that one request has taken of the budget that all requests share.
type budget struct {
	fast, slow *semaphore.Weighted

	mu       sync.Mutex
	isSlow   bool // it counts against the budget of slow requests
	released bool
}

// becomeSlow moves the request to the budget of slow requests, if that has room for it.
func (b *budget) becomeSlow() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.released || b.isSlow || !b.slow.TryAcquire(1) {
		return
	}
	b.isSlow = true
	b.fast.Release(1)
}

// release gives the part back.
func (b *budget) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.released = true
	if b.isSlow {
		b.slow.Release(1)
		return
	}
	b.fast.Release(1)
}
