package destination

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
)

// wants notes the content that the rule wants. The entry stays written only if the same rule wanted the same content before.
func (e *entry) wants(hash string, rule types.NamespacedName) {
	e.written = e.written && e.want == hash && e.wantedBy == rule
	e.want, e.wantedBy = hash, rule
}

// holds reports whether the rule has already written this content here and still wants it, so that another write is a repair.
func (e *entry) holds(hash string, rule types.NamespacedName) bool {
	return e.written && e.want == hash && e.wantedBy == rule
}

// drifted reports whether somebody else has changed or deleted what the rule has written. A copy that has another owner now
// has not drifted, nor has one that is still being deleted.
func (e *entry) drifted() bool {
	return e.want != "" && e.written && !e.inStep() && !e.Terminating && (!e.Exists() || e.Owner == e.wantedBy)
}

// noteDrift notes whether the copy has drifted since the State before. The object is the copy as it is now; nil if it is
// gone. It reports whether the rule need not be woken: the copy has drifted, and its repairs back off already.
func (l *Ledger) noteDrift(at types.NamespacedName, e *entry, before State, object metav1.Object) (known bool) {
	if !e.drifted() {
		return false
	}
	cause := drift{deleted: !e.Exists()}
	if object != nil && e.Others != before.Others {
		cause.changedBy = latestManager(object, owner.Identity{Tier: l.tier, Namespace: e.Owner.Namespace, Name: e.Owner.Name}.FieldManager())
	}
	l.repairs.drifted(at, cause)
	if _, known = l.repairs.backingOff(at); known {
		l.repairs.delay(at)
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

// hold returns the backoff of the copy, and reports whether nothing is to be written for now: the rule wants content that it
// has written already, and somebody keeps undoing that. New content is never held.
func (l *Ledger) hold(at, rule types.NamespacedName, hash string) (backoff, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, known := l.copies[at]
	if !known || !e.holds(hash, rule) || !e.drifted() && !e.inStep() {
		return backoff{}, false
	}
	if e.drifted() && l.repairs.pause(at) > 0 {
		l.repairs.delay(at)
	}
	return l.backingOff(at, e)
}

func (l *Ledger) backingOff(at types.NamespacedName, e *entry) (backoff, bool) {
	cause, found := l.repairs.backingOff(at)
	if !found {
		return backoff{}, false
	}
	held := backoff{drift: cause, pause: l.repairs.pause(at)}
	if e.inStep() {
		held.fields = e.fields
	}
	return held, true
}

// repaired counts a write of that content if it was a repair, and returns what the repair has undone. It is called before
// Wrote.
func (l *Ledger) repaired(at, rule types.NamespacedName, hash string) (undone drift, isRepair bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, known := l.copies[at]; !known || !e.holds(hash, rule) {
		return drift{}, false
	}
	return l.repairs.repaired(at), true
}

// overtaken counts as a repair a write of that content that failed with a conflict in each of its tries. So does every
// further write of that content.
func (l *Ledger) overtaken(at, rule types.NamespacedName, hash string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, known := l.copies[at]; known && e.want == hash && e.wantedBy == rule {
		e.written = true
		l.repairs.repaired(at)
	}
}

// awaits returns the outcome, changed to a failure if the repairs of the copy back off.
func (l *Ledger) awaits(outcome Outcome) Outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, known := l.copies[outcome.Target]; known {
		if held, found := l.backingOff(outcome.Target, e); found {
			return held.told(outcome)
		}
	}
	return outcome
}

// told returns the outcome as the failure of a copy whose repairs back off.
func (b backoff) told(outcome Outcome) Outcome {
	outcome.Reason, outcome.Err, outcome.Again = v1.ReasonDestinationConflict, nil, b.pause
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
