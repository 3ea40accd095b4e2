package expressions

import (
	"sync"
	"time"
)

// Timing says what evaluations take. The zero value has the clock of the system and tells nobody.
type Timing struct {
	// Now is the clock.
	Now func() time.Time
	// Observe is told how long all expressions of a source took, or all of a target, and whether they gave values.
	Observe func(took time.Duration, ok bool)
}

func (t Timing) now() time.Time {
	if t.Now == nil {
		return time.Now()
	}
	return t.Now()
}

// stopwatch adds up what the evaluations of a reconcile take. It is safe for concurrent use.
type stopwatch struct {
	timing Timing

	mu   sync.Mutex
	took time.Duration // all evaluations together
}

// timed calls the function, which evaluates expressions, with a meter for all of them. It waits for its turn. If the reconcile has no time left,
// the error says so.
func (s *stopwatch) timed(limit uint64, evaluate func(*meter) error) error {
	slots <- struct{}{}
	defer func() { <-slots }()
	s.mu.Lock()
	spentAll := s.took >= maxTimeOfReconcile
	s.mu.Unlock()
	if spentAll {
		return &EvaluationError{Cause: PutOff}
	}
	began := s.timing.now()
	spent := &meter{limit: limit, deadline: began.Add(maxTime), now: s.timing.now}
	err := evaluate(spent)
	took := s.timing.now().Sub(began)
	s.mu.Lock()
	s.took += took
	s.mu.Unlock()
	if s.timing.Observe != nil {
		s.timing.Observe(took, err == nil)
	}
	return err
}
