package memory

import (
	"time"

	"projection.sh/operator/components/destination"
)

// Health is what was seen of a copy that has to be healthy, since it was changed. If it is lost, the copy is read again.
type Health struct {
	// content and changed say what was seen: the copy with that content, as it was changed then.
	known   bool
	content string
	changed int64
	// Seen is what the copy showed last; without a version, it has shown nothing yet.
	destination.Seen
	// Settled reports whether the copy has shown that it is healthy, so that it need not be read again.
	Settled bool
	// Reported reports whether the status says that the copy was not healthy in time.
	Reported bool
	// ReadAt is when it was read last, and Tried when a read failed first since; zero: none has.
	ReadAt, Tried time.Time
	// Delay is for how long reads were put off after the last one, which failed.
	Delay time.Duration
	// Next is when it can be read again.
	Next time.Time
}

// NewHealth returns what is known of a copy that was not read yet, and can be then, and whether the status reports it.
func NewHealth(copied destination.State, next time.Time, reported bool) Health {
	return Health{known: true, content: copied.Content, changed: copied.ChangedAt, Next: next, Reported: reported}
}

// IsOf reports whether this is about the copy as it is now, and it was not changed since.
func (h Health) IsOf(copied destination.State) bool {
	return h.known && h.content == copied.Content && h.changed == copied.ChangedAt
}
