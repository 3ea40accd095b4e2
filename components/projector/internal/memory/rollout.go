package memory

import "time"

// Rollout is what is remembered of the rollout of a content. Only its pace depends on it: a restart makes it slower.
type Rollout struct {
	content   string
	successes int
	// wave is the number of the wave that is being changed, and began is when this process began to; zero: it has not.
	wave  int
	began time.Time
	// Failures delays what is tried again since it has failed without being refused.
	Failures Backoff
	// Reported is when the status was written last.
	Reported time.Time
}

// Of makes the rollout the one of that content.
func (r *Rollout) Of(content string) {
	if r.content != content {
		*r = Rollout{content: content, Reported: r.Reported}
	}
}

// Window returns how many copies may be tried at a time whose result is not known: one more than have succeeded.
func (r *Rollout) Window() int { return r.successes + 1 }

// Succeeded counts a copy that was written.
func (r *Rollout) Succeeded() { r.successes++ }

// InWave notes which wave is being changed, if any, and whether copies of it are to be written now. It returns how long the wave before has
// taken; zero: none has ended, or the beginning of it is not known.
func (r *Rollout) InWave(number int, done, writes bool, now time.Time) (took time.Duration) {
	if !r.began.IsZero() && (done || number > r.wave) {
		took, r.began = now.Sub(r.began), time.Time{}
	}
	if number != r.wave {
		r.wave, r.began = number, time.Time{}
	}
	if !done && writes && r.began.IsZero() {
		r.began = now
	}
	return took
}
