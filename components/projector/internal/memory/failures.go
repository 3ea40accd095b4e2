package memory

import (
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
)

// Failures are the last failures of copies whose writes are slow. The status reports such a failure while another try is under
// way, so that it does not change with every try.
type Failures map[lane.Target]destination.Outcome

// Last returns the last failure to write that content, and reports whether there is one.
func (f *Failures) Last(target lane.Target, content string) (destination.Outcome, bool) {
	outcome, found := (*f)[target]
	return outcome, found && outcome.Content == content
}

// Add remembers a failure.
func (f *Failures) Add(target lane.Target, outcome destination.Outcome) {
	if *f == nil {
		*f = Failures{}
	}
	(*f)[target] = outcome
}

// Remove forgets a failure: another try has ended.
func (f *Failures) Remove(target lane.Target) { delete(*f, target) }

// Retain forgets the failures of writes to other targets.
func (f *Failures) Retain(wanted map[types.NamespacedName]bool) {
	for target, outcome := range *f {
		if outcome.Content != "" && !wanted[target.NamespacedName] {
			delete(*f, target)
		}
	}
}
