package fleet

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// slowTime is how long a request may take before it counts as slow.
const slowTime = time.Second

// Budget is what the slots of all clusters share. It is safe for concurrent use.
type Budget struct {
	clock clock.WithDelayedExecution

	mu      sync.Mutex
	free    int
	waiting []*Slots // those that wait for a part, the next one first
}

// NewBudget returns a budget for so many requests.
func NewBudget(total int, clock clock.WithDelayedExecution) *Budget {
	return &Budget{clock: clock, free: total}
}

// Slots are those of one cluster. One slot belongs to it alone; the others come from the budget. A cluster that is slow gets none of the
// budget, so that however many clusters are slow, the others do not wait for them.
//
// Example: 999 of 1,000 clusters answer after five seconds. Each of them has one request under way at a time, and the last cluster has as many as
// its limit permits.
type Slots struct {
	budget *Budget

	// What follows is guarded by the budget.
	limit   int
	own     bool      // whether its own slot is taken
	used    int       // slots that are taken, its own included
	late    int       // those of them that are taken for longer than slowTime
	pace    pace      // of its requests that have ended
	waiters []*waiter // for a slot, first come first served
	queued  bool      // whether it waits for a part of the budget
}

// waiter is a request that waits for a slot.
type waiter struct{ granted chan *Slot }

// Slot is the permission to make one request.
type Slot struct {
	slots *Slots
	began time.Time
	timer clock.Timer // until it is late

	own    bool // it is that of the cluster
	shared bool // it counts against the budget
	late   bool // it is taken for longer than slowTime
	ended  bool // it was given back
}

// NewSlots returns the slots of a cluster, of which at most so many are taken at a time.
func NewSlots(budget *Budget, limit int) *Slots {
	return &Slots{budget: budget, limit: max(limit, 1)}
}

// SetLimit changes how many slots are taken at a time. Those that are taken stay.
func (s *Slots) SetLimit(limit int) {
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	s.limit = max(limit, 1)
	s.grant()
}

// Acquire waits for a slot. The caller has to release it. An error says that the context has ended first.
func (s *Slots) Acquire(ctx context.Context) (*Slot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	waiting := &waiter{granted: make(chan *Slot, 1)}
	s.budget.mu.Lock()
	s.waiters = append(s.waiters, waiting)
	s.grant()
	s.budget.mu.Unlock()
	select {
	case slot := <-waiting.granted:
		return slot, nil
	case <-ctx.Done():
		s.giveUp(waiting)
		return nil, ctx.Err()
	}
}

// IsSlow reports whether the cluster gets nothing of the budget.
func (s *Slots) IsSlow() bool {
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	return s.isSlow()
}

// Release gives the slot back, once. The argument says whether the request was given up because there was no answer in time.
func (s *Slot) Release(timedOut bool) {
	budget := s.slots.budget
	took := budget.clock.Now().Sub(s.began)
	s.end(func() { s.slots.pace.add(took, timedOut) })
}

// end gives the slot back, after the function has noted what is known of the request.
func (s *Slot) end(note func()) {
	s.timer.Stop()
	of := s.slots
	of.budget.mu.Lock()
	defer of.budget.mu.Unlock()
	if s.ended {
		return
	}
	s.ended = true
	note()
	of.used--
	switch {
	case s.own:
		of.own = false
	case s.shared:
		of.budget.free++
	}
	if s.late {
		of.late--
	}
	of.grant()
}

// becomeLate notes that the request takes long. Its part of the budget is for others.
func (s *Slot) becomeLate() {
	of := s.slots
	of.budget.mu.Lock()
	defer of.budget.mu.Unlock()
	if s.ended {
		return
	}
	s.late = true
	of.late++
	if s.shared {
		s.shared = false
		of.budget.free++
		of.budget.distribute()
	}
}

// giveUp takes a request out that waits no longer. It may have got a slot just now.
func (s *Slots) giveUp(waiting *waiter) {
	s.budget.mu.Lock()
	for i, other := range s.waiters {
		if other == waiting {
			s.waiters = append(s.waiters[:i:i], s.waiters[i+1:]...)
			break
		}
	}
	s.budget.mu.Unlock()
	select {
	case slot := <-waiting.granted:
		slot.end(func() {}) // no request was made with it
	default:
	}
}

// grant gives the requests of the cluster what slots there are.
func (s *Slots) grant() {
	if len(s.waiters) > 0 && !s.own {
		s.own = true
		s.give(&Slot{own: true})
	}
	if s.wants() && !s.queued {
		s.queued = true
		s.budget.waiting = append(s.budget.waiting, s)
	}
	s.budget.distribute()
}

// wants reports whether the cluster would take a part of the budget.
func (s *Slots) wants() bool { return len(s.waiters) > 0 && s.used < s.limit && !s.isSlow() }

func (s *Slots) isSlow() bool { return s.late > 0 || s.pace.isSlow() }

// give gives the slot to the request that waits longest.
func (s *Slots) give(slot *Slot) {
	waiting := s.waiters[0]
	s.waiters = s.waiters[1:]
	s.used++
	slot.slots, slot.began = s, s.budget.clock.Now()
	slot.timer = s.budget.clock.AfterFunc(slowTime, slot.becomeLate)
	waiting.granted <- slot
}

// distribute gives what is left of the budget to the clusters in turn.
func (b *Budget) distribute() {
	for b.free > 0 && len(b.waiting) > 0 {
		next := b.waiting[0]
		b.waiting = b.waiting[1:]
		next.queued = false
		if !next.wants() {
			continue
		}
		b.free--
		next.give(&Slot{shared: true})
		if next.wants() {
			next.queued = true
			b.waiting = append(b.waiting, next)
		}
	}
}
