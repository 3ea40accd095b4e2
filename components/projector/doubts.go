package projector

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/rollout"
)

// doubts are the copies that were not healthy when the status was written last, while this process has not looked at them. The status only says
// which copies to read: whether they are healthy is what they show.
type doubts struct {
	// all reports whether the status reports more such copies than it names.
	all bool
	// named are the namespaces of those that it names.
	named sets.Set[string]
	// hidden are the namespaces with several failures, of which the status names another one.
	hidden sets.Set[string]
	// wave is the number of the first wave of which copies may have had time left to become healthy; negative: there is none.
	wave int
}

// inDoubt returns the copies that were not healthy when the status was written last, unless this process has found out which these are.
//
// Example: a copy has missed its deadline, and no other one waits. The operator is restarted. The copy is read, and goes on to be reported.
func (s *scope[O]) inDoubt() doubts {
	found, isExamined := doubts{wave: -1}, false
	s.remembered(func(r *memory.Rule) { isExamined = r.Examined })
	if isExamined || s.adapter.Rollout.NotHealthy == nil {
		return found
	}
	named, hidden := sets.New[string](), sets.New[string]()
	for _, failure := range s.adapter.Failures(s.before) {
		switch {
		case failure.Reason == v1.ReasonDestinationNotHealthy:
			named.Insert(failure.Namespace)
		case s.spec.Selects() && strings.HasSuffix(failure.Message, moreFailed):
			hidden.Insert(failure.Namespace)
		}
	}
	found.hidden, found.named, found.all = hidden, named, s.adapter.Rollout.NotHealthy(s.before) > named.Len()
	if before := *s.adapter.Rollout.Status(s.before); before != nil && before.Wave > 0 {
		found.wave = int(before.Wave) - 1
	}
	return found
}

// any reports whether there is any.
func (d doubts) any() bool { return d.all || d.wave >= 0 || d.named.Len() > 0 || d.hidden.Len() > 0 }

// isReported reports whether the status has reported the copy as not healthy in time.
func (d doubts) isReported(outcome destination.Outcome) bool {
	return d.all || d.named.Has(outcome.Place.Namespace)
}

// concern reports whether the copy is one of them.
func (d doubts) concern(outcome destination.Outcome, target rollout.Target) bool {
	return d.isReported(outcome) || d.hidden.Has(outcome.Place.Namespace) || d.wave >= 0 && target.Wave >= d.wave
}

// noteReported notes which copies the status reports as not healthy in time, whether it names them or not. There is one event about each: what a
// status says changes again and again, and if one of many copies becomes healthy, the status names another one.
func (s *scope[O]) noteReported() {
	s.remembered(func(r *memory.Rule) {
		for i := range s.local.outcomes {
			at := s.local.outcomes[i].Place.NamespacedName
			if known, found := r.Health[at]; found && isNotHealthy(s.local.outcomes[i]) {
				known.Reported = true
				r.Health[at] = known
			}
		}
	})
}
