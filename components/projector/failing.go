package projector

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
)

// failing remembers the last failure of each copy whose writes are slow. The status reports that failure while another try is
// under way, so that it does not change with every try.
type failing struct {
	mu    sync.Mutex
	rules map[types.NamespacedName]map[lane.Target]destination.Outcome
}

func newFailing() *failing {
	return &failing{rules: map[types.NamespacedName]map[lane.Target]destination.Outcome{}}
}

// last returns the last failure to write that content, and reports whether there is one.
func (f *failing) last(rule types.NamespacedName, target lane.Target, content string) (destination.Outcome, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	outcome, found := f.rules[rule][target]
	return outcome, found && outcome.Content == content
}

// note remembers a failure.
func (f *failing) note(rule types.NamespacedName, target lane.Target, outcome destination.Outcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rules[rule] == nil {
		f.rules[rule] = map[lane.Target]destination.Outcome{}
	}
	f.rules[rule][target] = outcome
}

// ended forgets the failure: another try has ended.
func (f *failing) ended(rule types.NamespacedName, target lane.Target) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.rules[rule], target)
	if len(f.rules[rule]) == 0 {
		delete(f.rules, rule)
	}
}

// retain forgets the failures of writes to other targets.
func (f *failing) retain(rule types.NamespacedName, wanted map[types.NamespacedName]bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for target, outcome := range f.rules[rule] {
		if outcome.Content != "" && !wanted[target.NamespacedName] {
			delete(f.rules[rule], target)
		}
	}
}

func (f *failing) forget(rule types.NamespacedName) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.rules, rule)
}
