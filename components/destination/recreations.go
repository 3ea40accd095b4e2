package destination

import (
	"context"
	"sync"
	"time"
)

const (
	// recreatePause is the least time between two recreations of a copy with the same content.
	recreatePause = 10 * time.Minute
	// turnTimeout is how long a copy waits for its turn to be recreated, in a slot of its namespace. After that, it is retried after turnPause.
	turnTimeout = 100 * time.Millisecond
	turnPause   = time.Second
	// missingPause is how long the other copies wait for one that was deleted and could not be created.
	missingPause = time.Minute
)

// Recreations are the copies that one rule recreates: one at a time, so that readers find the others. None is recreated twice with the same content
// in recreatePause. It is safe for concurrent use.
type Recreations struct {
	clock func() time.Time
	// since is when the rule has begun to note what it recreates: at its first reconcile by this process, or when it was given the policy.
	since time.Time
	turn  chan struct{} // holds an element while a copy is recreated

	mu   sync.Mutex
	made map[Place]recreation
	// waiting are the copies that wait for their turn, with the content with which they were refused.
	waiting map[Place]string
	// missing is a copy that was deleted and is not created yet, and until is when the others wait no longer.
	missing Place
	until   time.Time
}

// recreation is what a copy was recreated with, and when.
type recreation struct {
	content string
	at      time.Time
}

// NewRecreations returns those of a rule that has recreated none.
func NewRecreations(clock func() time.Time) *Recreations {
	return &Recreations{clock: clock, since: clock(), turn: make(chan struct{}, 1), made: map[Place]recreation{}, waiting: map[Place]string{}}
}

// isRecent reports whether the copy was recreated with that content not long ago. Of what is not noted, the copy itself shows when the rule has
// written that content.
//
// Example: a webhook changes each copy that is created, and the operator is restarted again and again. No restart takes the copy away.
func (r *Recreations) isRecent(place Place, content string, known State) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, found := r.made[place]
	if !found && known.HasContent(content) && known.ChangedAt < r.since.Unix() {
		last, found = recreation{content, time.Unix(known.ChangedAt, 0)}, true
	}
	return found && last.content == content && r.clock().Sub(last.at) < recreatePause
}

// isWaiting reports whether the copy was refused with that content and waits for its turn. Then there is no need to have it refused again before.
func (r *Recreations) isWaiting(place Place, content string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	waits, found := r.waiting[place]
	return found && waits == content
}

// begin waits for the turn of a copy with that content, and reports whether it has come. Then end is to be called.
func (r *Recreations) begin(ctx context.Context, place Place, content string) bool {
	ctx, cancel := context.WithTimeout(ctx, turnTimeout)
	defer cancel()
	comes := false
	select {
	case r.turn <- struct{}{}:
		comes = true
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if comes && r.missing != (Place{}) && r.missing != place && r.clock().Before(r.until) {
		<-r.turn
		comes = false
	}
	delete(r.waiting, place)
	if !comes {
		r.waiting[place] = content
	}
	return comes
}

// isMissing reports whether the copy was deleted and is not created yet.
func (r *Recreations) isMissing(place Place) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.missing == place
}

// deleted notes that the copy was deleted, and is to be created with that content.
func (r *Recreations) deleted(place Place, content string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock()
	for at, last := range r.made {
		if now.Sub(last.at) >= recreatePause {
			delete(r.made, at)
		}
	}
	r.made[place] = recreation{content, now}
	r.missing, r.until = place, now.Add(missingPause)
}

// written notes that there is a copy at the place.
func (r *Recreations) written(place Place) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.waiting, place)
	if r.missing == place {
		r.missing = Place{}
	}
}

// end lets the next copy have its turn.
func (r *Recreations) end() { <-r.turn }
