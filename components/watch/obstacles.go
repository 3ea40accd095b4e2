package watch

import "k8s.io/apimachinery/pkg/types"

// obstacle is an object in the way of a rule's copy.
type obstacle struct {
	// verdict is what was found when it was looked at; nil if that may no longer be so.
	verdict error
	// stirred tells that something happened there since it was waited for.
	stirred bool
	// asked tells that the rule has asked for it since it last followed its source.
	asked bool
}

func (o *obstacle) stir() { o.verdict, o.stirred = nil, true }

// Block wakes the rule when the object in the way of a copy is deleted or becomes the rule's own. It has to be called
// before the object is looked at, so that its end cannot be missed.
func (s *Sources) Block(rule Rule, at types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waits, known := s.rules[rule]; known {
		obstacle := &obstacle{asked: true}
		waits.obstacles[at] = obstacle
		s.place(waits.kind, at).blocked[rule] = obstacle
	}
}

// Unblock takes a Block back.
func (s *Sources) Unblock(rule Rule, at types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waits, known := s.rules[rule]; known {
		delete(waits.obstacles, at)
		s.leave(waits.kind, at, func(p *place) { delete(p.blocked, rule) })
	}
}

// Judge notes what was found when the object in the way was looked at.
func (s *Sources) Judge(rule Rule, at types.NamespacedName, verdict error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waits, known := s.rules[rule]; known {
		if obstacle := waits.obstacles[at]; obstacle != nil && !obstacle.stirred {
			obstacle.verdict = verdict
		}
	}
}

// Verdict returns what was found when the object in the way was last looked at; nil if it has to be looked at, since
// something has happened there or nobody has looked.
func (s *Sources) Verdict(rule Rule, at types.NamespacedName) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	waits, known := s.rules[rule]
	if !known || waits.obstacles[at] == nil {
		return nil
	}
	waits.obstacles[at].asked = true
	return waits.obstacles[at].verdict
}

// handOn leaves the obstacles that the rule still asks for to its next interest, if that is of the same kind.
func (i *interest) handOn(next *interest) {
	if i.kind != next.kind {
		return
	}
	for at, obstacle := range i.obstacles {
		if obstacle.asked {
			obstacle.asked = false
			next.obstacles[at] = obstacle
			delete(i.obstacles, at)
		}
	}
}
