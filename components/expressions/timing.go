package expressions

import "time"

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

// timed calls the function, which evaluates expressions, with a meter for all of them. It waits for its turn. If the reconcile has no time left,
// the error says so.
func (v *Values) timed(limit uint64, evaluate func(*meter) error) error {
	slots <- struct{}{}
	defer func() { <-slots }()
	v.mu.Lock()
	spentAll := v.took >= maxTimeOfReconcile
	v.mu.Unlock()
	if spentAll {
		return &EvaluationError{Cause: PutOff}
	}
	began := v.timing.now()
	spent := &meter{limit: limit, deadline: began.Add(maxTime), now: v.timing.now}
	err := evaluate(spent)
	took := v.timing.now().Sub(began)
	v.mu.Lock()
	v.took += took
	v.mu.Unlock()
	if v.timing.Observe != nil {
		v.timing.Observe(took, err == nil)
	}
	return err
}
