package fleet

import "time"

// backoff is how long to wait between probes that fail.
type backoff struct{ first, longest time.Duration }

var (
	// silence is that of a cluster that does not answer.
	silence = backoff{first: time.Second, longest: time.Minute}
	// refusal is that of one that answers, and has to be changed by a person first.
	refusal = backoff{first: 30 * time.Second, longest: 5 * time.Minute}
)

// pauseAfter returns how long to wait after a probe that failed, and so many before it.
func pauseAfter(err error, before int) time.Duration {
	by := silence
	if isAnswer(err) {
		by = refusal
	}
	return min(by.first<<min(before, 10), by.longest)
}

// spread returns 80 to 120 % of a pause, by a number from 0 to 1.
func spread(pause time.Duration, draw float64) time.Duration {
	return time.Duration(float64(pause) * (0.8 + 0.4*draw))
}
