package cli

import (
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"

	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

// maxPaces is how many rules are measured at a time.
const maxPaces = 100

// paces measures how fast the copies of rules become in sync, from one page of a rule to the next.
type paces struct {
	mu sync.Mutex
	of map[types.UID]*pace
}

// add notes how many copies of a rule are in sync. It returns how many become so per second, and how many seconds the rest takes; nil: that is
// not known.
func (p *paces) add(rule types.UID, now time.Time, inSync, rest int) (perSecond float64, left *int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil || len(p.of) >= maxPaces {
		p.of = map[types.UID]*pace{}
	}
	measured := p.of[rule]
	if measured == nil || now.Sub(measured.seen[len(measured.seen)-1].at) > paceWindow { // nobody has looked for a while
		measured = &pace{}
		p.of[rule] = measured
	}
	measured.add(now, inSync)
	return measured.perSecond(), measured.rest(rest)
}

// progressOf says how many copies are as the rule wants them, and how fast they become so; nil: there are none to count.
func (p *paces) progressOf(rule types.UID, now time.Time, shown copiesShown) *ui.Progress {
	counts := map[ui.Tone]int{}
	for _, copied := range shown.copies {
		counts[copied.tone()]++
	}
	all, inSync, unknown := len(shown.copies), counts[ui.Good], counts[ui.Unknown]
	if all == 0 {
		return nil
	}
	progress := &ui.Progress{Label: inSyncOf(inSync, unknown, all, shown.hidesSources())}
	for _, tone := range []ui.Tone{ui.Good, ui.Waiting, ui.Unknown, ui.Bad} {
		progress.Parts = append(progress.Parts, ui.Part{Tone: tone, Count: counts[tone]})
	}
	if unknown > 0 || counts[ui.Waiting] == 0 {
		return progress
	}
	perSecond, left := p.add(rule, now, inSync, counts[ui.Waiting])
	if progress.IsMoving = perSecond > 0; progress.IsMoving {
		progress.Label += ", " + rateOf(perSecond) + "/s"
	}
	if left != nil {
		progress.Label += ", about " + duration.HumanDuration(time.Duration(*left)*time.Second) + " left"
	}
	return progress
}

// inSyncOf says how many of all copies are in sync, if some are unknown.
func inSyncOf(inSync, unknown, all int, hidesSources bool) string {
	of := " of " + count(all, "copy", "copies") + " in sync"
	switch {
	case unknown == all:
		return unknownValue + of
	case unknown > 0:
		return fmt.Sprintf("at least %d%s, %d unknown", inSync, of, unknown)
	case hidesSources:
		return fmt.Sprintf("at least %d%s, and copies of sources that you may not read", inSync, of)
	default:
		return fmt.Sprint(inSync, of)
	}
}

// hidesSources reports whether the caller may not read what decides what is wanted of a source.
func (c copiesShown) hidesSources() bool {
	for _, branch := range c.branches {
		if branch.Refused != nil && branch.Refused.State == forecast.Unknown {
			return true
		}
	}
	return false
}
