package watch

import "time"

const (
	// immediateLooks is how many changes of an object in the way enqueue a rule at once.
	immediateLooks = 3
	// firstPause and longestPause are the shortest and the longest delay of those after them.
	firstPause   = 2 * time.Second
	longestPause = 30 * time.Second
	// calmTime is the time without such a change after which those before it are forgotten.
	calmTime = 10 * time.Minute
)

// pace delays a rule that an object in the way enqueues again and again by changes of its content.
//
// Example: a rule adopts identical objects, and a controller writes into the ConfigMap in the way every second.
type pace struct {
	count int
	last  time.Time
}

// next notes a change, and returns how long the rule has to wait.
func (p *pace) next(now time.Time) time.Duration {
	if now.Sub(p.last) > calmTime {
		p.count = 0
	}
	p.count++
	p.last = now
	if p.count <= immediateLooks {
		return 0
	}
	return min(firstPause<<min(p.count-immediateLooks-1, 10), longestPause)
}

// delayOf returns how long a rule has to wait that an object in the way enqueues. Only changes of its content are delayed.
func (b *Blockers) delayOf(rule RuleKey, where location, onlyContent bool) time.Duration {
	if !onlyContent {
		return 0
	}
	paces := b.rules[rule].paces
	if paces[where.NamespacedName] == nil {
		paces[where.NamespacedName] = &pace{}
	}
	return paces[where.NamespacedName].next(b.clock())
}
