package rollout

import "time"

// State is what a target needs.
type State int

// States.
const (
	// Left: nothing can be changed there, for example because a foreign object is in the way. The target counts for nothing.
	Left State = iota
	// Updated: its copy has the wanted content.
	Updated
	// Waiting: its copy has other content, or is missing and has to wait.
	Waiting
	// Failed: it is Waiting, and the last try to write that content has failed.
	Failed
)

// Target is a namespace with what is known of its copy.
type Target struct {
	// Wave is the number of its wave, from 0.
	Wave  int
	State State
	// Changed is when the operator last changed the copy, to whatever content, in full seconds; zero: never, or that is not known.
	Changed time.Time
	// Unhealthy reports whether its copy is not healthy, or has not been looked at since it was changed.
	Unhealthy bool
	// Until is until when a copy that is not healthy has time, even if its deadline is over; zero: not longer.
	Until time.Time
	// Busy reports whether a request for the copy is under way.
	Busy bool
	// Tried reports whether a copy that has failed is not to be tried again yet.
	Tried bool
}

// waits reports whether the copy is not as it should be, but can be changed.
func (t Target) waits() bool { return t.State == Waiting || t.State == Failed }

// isDue reports whether the copy can be written now.
func (t Target) isDue() bool { return t.waits() && !t.Busy && !t.Tried }
