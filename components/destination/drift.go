package destination

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
)

// setDesired notes the content that the rule wants. The entry stays written only if the same rule wanted the same content before.
func (e *entry) setDesired(hash string, rule types.NamespacedName) {
	e.written = e.written && e.desired == hash && e.desiredBy == rule
	e.desired, e.desiredBy = hash, rule
}

// alreadyWritten reports whether the rule has already written this content here and still wants it, so that another write is a repair.
func (e *entry) alreadyWritten(hash string, rule types.NamespacedName) bool {
	return e.written && e.desired == hash && e.desiredBy == rule
}

// drifted reports whether somebody else has changed or deleted what the rule has written. A copy that has another owner now
// has not drifted, nor has one that is still being deleted.
func (e *entry) drifted() bool {
	return e.desired != "" && e.written && !e.inSync() && !e.Terminating && (!e.Exists() || e.Owner == e.desiredBy)
}

// noteDrift notes whether the copy has drifted since the State before. The object is the copy as it is now; nil if it is
// gone. It reports whether the rule need not be woken: the copy has drifted, and its repairs back off already.
func (c *CopyCache) noteDrift(at types.NamespacedName, e *entry, before State, object metav1.Object) (known bool) {
	if !e.drifted() {
		return false
	}
	cause := drift{deleted: !e.Exists()}
	if object != nil && e.Others != before.Others {
		cause.changedBy = latestManager(object, owner.Identity{Kind: c.kind, Namespace: e.Owner.Namespace, Name: e.Owner.Name}.FieldManager())
	}
	c.repairs.drifted(at, cause)
	if _, known = c.repairs.backingOff(at); known {
		c.repairs.delay(at)
	}
	return known
}

// backoff is what is known of a copy whose repairs back off.
type backoff struct {
	drift
	// pause is the time until the next repair of a copy that has drifted, or until one that is in sync counts as repaired.
	pause time.Duration
	// fields are what our field manager owns of the copy if it is in sync.
	fields Fields
}

// heldRepair returns the backoff of the copy, and reports whether nothing is to be written for now: the rule wants content that it
// has written already, and somebody keeps undoing that. New content is never held.
func (c *CopyCache) heldRepair(at, rule types.NamespacedName, hash string) (backoff, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, known := c.copies[at]
	if !known || !e.alreadyWritten(hash, rule) || !e.drifted() && !e.inSync() {
		return backoff{}, false
	}
	if e.drifted() && c.repairs.pause(at) > 0 {
		c.repairs.delay(at)
	}
	return c.backingOff(at, e)
}

func (c *CopyCache) backingOff(at types.NamespacedName, e *entry) (backoff, bool) {
	cause, found := c.repairs.backingOff(at)
	if !found {
		return backoff{}, false
	}
	held := backoff{drift: cause, pause: c.repairs.pause(at)}
	if e.inSync() {
		held.fields = e.fields
	}
	return held, true
}

// repaired counts a write of that content if it was a repair, and returns what the repair has undone. It is called before
// Wrote.
func (c *CopyCache) repaired(at, rule types.NamespacedName, hash string) (undone drift, isRepair bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, known := c.copies[at]; !known || !e.alreadyWritten(hash, rule) {
		return drift{}, false
	}
	return c.repairs.repaired(at), true
}

// overtaken counts as a repair a write of that content that failed with a conflict in each of its tries. So does every
// further write of that content.
func (c *CopyCache) overtaken(at, rule types.NamespacedName, hash string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, known := c.copies[at]; known && e.desired == hash && e.desiredBy == rule {
		e.written = true
		c.repairs.repaired(at)
	}
}

// withBackoff returns the outcome, changed to a failure if the repairs of the copy back off.
func (c *CopyCache) withBackoff(outcome Outcome) Outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, known := c.copies[outcome.Target]; known {
		if held, found := c.backingOff(outcome.Target, e); found {
			return held.failure(outcome)
		}
	}
	return outcome
}

// failure returns the outcome as the failure of a copy whose repairs back off.
func (b backoff) failure(outcome Outcome) Outcome {
	outcome.Reason, outcome.Err, outcome.RetryAfter = v1.ReasonDestinationConflict, nil, b.pause
	outcome.Message = b.drift.who() + " keeps changing the copy; its repair is delayed by up to 30 seconds; " +
		"stop that writer, or take what it changes out of the source"
	if b.deleted {
		outcome.Message = b.drift.who() + " keeps deleting the copy, or its label; it is created again after up to 30 seconds; " +
			"stop that, or delete the rule"
	}
	if outcome.Fields == 0 {
		outcome.Fields = b.fields
	}
	return outcome
}

func (d drift) who() string {
	if d.changedBy == "" {
		return "somebody"
	}
	return fmt.Sprintf("field manager %q", d.changedBy)
}
