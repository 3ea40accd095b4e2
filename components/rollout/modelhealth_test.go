package rollout_test

import (
	"slices"
	"time"

	"projection.sh/operator/components/rollout"
)

// examination is what the process has seen of a copy.
type examination struct {
	object
	settled bool
}

// examine looks at the copies that have to show that they are healthy, and at those that have not yet.
func (w *world) examine(targets []rollout.Target) {
	examined := w.s.Examined(targets, w.clock)
	isChanged := rollout.InThisRollout(targets)
	for i, known := range w.examined {
		isOld, isExamined := known.version != w.copies[i].version || !known.changed.Equal(w.copies[i].changed), slices.Contains(examined, i)
		switch {
		case isOld, !isExamined && (known.settled || !isChanged(targets[i])):
			delete(w.examined, i)
		case !isExamined:
			examined = append(examined, i)
		}
	}
	for _, i := range examined {
		if !w.examined[i].settled {
			targets[i].Unhealthy = w.copies[i].sick
			w.examined[i] = examination{w.copies[i], !w.copies[i].sick && w.s.IsReadyAt(targets[i], w.clock)}
		}
	}
}

// write writes a copy, which may not become healthy.
func (w *world) write(i int) {
	w.copies[i].version, w.copies[i].changed, w.copies[i].sick = w.wanted, w.second(), !w.heals && w.r.IntN(3) == 0
	delete(w.examined, i)
}

// isSick reports whether the process knows that a copy is not healthy, and for how long it was not.
func (w *world) isSick(i int) (bool, time.Duration) {
	known, found := w.examined[i]
	return w.s.Deadline > 0 && found && !known.settled && w.copies[i].sick, w.clock.Sub(w.copies[i].changed)
}
