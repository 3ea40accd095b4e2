package projector

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
)

// lastFailures remembers the last failure of each copy whose writes are slow. The status reports that failure while another try is
// under way, so that it does not change with every try.
type lastFailures struct {
	mu    sync.Mutex
	rules map[types.NamespacedName]map[lane.Target]destination.Outcome
}

func newLastFailures() *lastFailures {
	return &lastFailures{rules: map[types.NamespacedName]map[lane.Target]destination.Outcome{}}
}

// last returns the last failure to write that content, and reports whether there is one.
func (l *lastFailures) last(rule types.NamespacedName, target lane.Target, content string) (destination.Outcome, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	outcome, found := l.rules[rule][target]
	return outcome, found && outcome.Content == content
}

// note remembers a failure.
func (l *lastFailures) note(rule types.NamespacedName, target lane.Target, outcome destination.Outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rules[rule] == nil {
		l.rules[rule] = map[lane.Target]destination.Outcome{}
	}
	l.rules[rule][target] = outcome
}

// ended forgets the failure: another try has ended.
func (l *lastFailures) ended(rule types.NamespacedName, target lane.Target) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.rules[rule], target)
	if len(l.rules[rule]) == 0 {
		delete(l.rules, rule)
	}
}

// retain forgets the failures of writes to other targets.
func (l *lastFailures) retain(rule types.NamespacedName, wanted map[types.NamespacedName]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for target, outcome := range l.rules[rule] {
		if outcome.Content != "" && !wanted[target.NamespacedName] {
			delete(l.rules[rule], target)
		}
	}
}

func (l *lastFailures) forget(rule types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.rules, rule)
}
