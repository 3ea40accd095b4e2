package env

import "time"

const (
	// Timeout bounds how long a test waits for what is to happen. It is generous: a limit on speed belongs into a benchmark.
	Timeout = time.Minute
	// Interval is how often a test looks whether it has happened.
	Interval = 20 * time.Millisecond
)
