package memory

import (
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
)

// Failures are the last failures to write copies. The status reports such a failure while another try is under way, so that it does
// not change with every try. A write that the API server refuses is not tried again before its backoff is over.
type Failures map[lane.Target]failure

type failure struct {
	destination.Outcome
	backoff Backoff
	next    time.Time // when to write that content again; zero: at once
}

// Last returns the last failure to write that content, and reports whether there is one.
func (f *Failures) Last(target lane.Target, content string) (destination.Outcome, bool) {
	last, found := (*f)[target]
	return last.Outcome, found && last.Content == content
}

// Held returns the last failure to write that content, and reports whether the write is not to be tried again yet. It is if
// the basis has changed.
func (f *Failures) Held(target lane.Target, content string, basis uint64, now time.Time) (destination.Outcome, bool) {
	last, found := (*f)[target]
	if !found || last.Content != content || last.Basis != basis {
		return destination.Outcome{}, false
	}
	last.RetryAfter = last.next.Sub(now)
	// Whatever is nearly due is written with the others: so one reconcile serves the targets that were refused one after the other.
	return last.Outcome, last.RetryAfter > last.backoff.delay/8
}

// Add remembers a failure, and returns it. If the write was refused, the failure says when to try again: after a backoff, which goes on
// when the content changes, and begins anew when the basis has changed.
func (f *Failures) Add(target lane.Target, outcome destination.Outcome, now time.Time, longest time.Duration) destination.Outcome {
	if *f == nil {
		*f = Failures{}
	}
	last, found := (*f)[target]
	added := failure{Outcome: outcome}
	if isWrite := outcome.Content != ""; isWrite && apierr.IsTerminal(outcome.Err) {
		if found && last.Basis == outcome.Basis {
			added.backoff = last.backoff
		}
		added.RetryAfter = added.backoff.Next(now, longest)
		added.next = now.Add(added.RetryAfter)
	}
	(*f)[target] = added
	return added.Outcome
}

// Remove forgets a failure: another try has ended.
func (f *Failures) Remove(target lane.Target) { delete(*f, target) }

// RetainWrites forgets the failures of writes to other targets.
func (f *Failures) RetainWrites(wanted map[types.NamespacedName]bool) {
	maps.DeleteFunc(*f, func(target lane.Target, last failure) bool {
		return last.Content != "" && !wanted[target.NamespacedName]
	})
}

// RetainDeletions forgets the failures of deletions of other targets.
func (f *Failures) RetainDeletions(stale map[types.NamespacedName]bool) {
	maps.DeleteFunc(*f, func(target lane.Target, last failure) bool {
		return last.Content == "" && !stale[target.NamespacedName]
	})
}
