package env

import "time"

const (
	// Timeout bounds how long a test waits for what is to happen. It is generous, since a limit on speed belongs into a
	// benchmark, but shorter than the 30 seconds after which the manager tries again by default: what is to happen at once is
	// not mistaken for that.
	Timeout = 25 * time.Second
	// Interval is how often a test looks whether it has happened.
	Interval = 20 * time.Millisecond
)
