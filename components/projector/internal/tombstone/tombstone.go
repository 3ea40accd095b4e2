// Package tombstone remembers which copies a rule has stopped having.
//
// A write that is under way when a rule removes its last copy may arrive late and create another one. A tombstone says whose
// copy that is. It outlives its rule, until no late write can arrive any more.
//
// Example: a leader is cut off from the API server while it writes a copy. Another replica takes over, and the rule is
// deleted. A minute later the first write arrives. The second replica deletes what it creates.
package tombstone

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/owner"
)

// Tombstone is the end of a rule's copies of one kind.
type Tombstone struct {
	// Rule is the uid of the rule. One that is created again under the same name has another.
	Rule     types.UID
	Resource schema.GroupResource
	// Source is what the rule copied, if it is of the same resource. It is never taken for a copy.
	Source types.NamespacedName
	// User is in whose name the rule wrote its copies.
	User impersonate.User

	until time.Time
}

// List are the tombstones of the rules of one kind. It is safe for concurrent use.
type List struct {
	ttl   time.Duration
	clock func() time.Time

	mu    sync.Mutex
	rules map[types.NamespacedName][]Tombstone
	order []types.NamespacedName // of all tombstones, the oldest first
}

// NewList returns an empty list that forgets a tombstone after the time to live.
func NewList(ttl time.Duration, clock func() time.Time) *List {
	return &List{ttl: ttl, clock: clock, rules: map[types.NamespacedName][]Tombstone{}}
}

// Add notes that the rule has no copies of the resource any more.
func (l *List) Add(rule owner.Identity, resource schema.GroupResource, source types.NamespacedName, user impersonate.User) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expire()
	l.rules[rule.Key()] = append(l.rules[rule.Key()], Tombstone{rule.UID, resource, source, user, l.clock().Add(l.ttl)})
	l.order = append(l.order, rule.Key())
}

// Of returns the tombstones of rules of that name, the oldest first.
func (l *List) Of(rule types.NamespacedName) []Tombstone {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expire()
	return slices.Clone(l.rules[rule])
}

// expire removes the tombstones whose time has passed. All live equally long, so the oldest is removed first.
func (l *List) expire() {
	now := l.clock()
	for len(l.order) > 0 {
		rule := l.order[0]
		if now.Before(l.rules[rule][0].until) {
			return
		}
		l.order = l.order[1:]
		if l.rules[rule] = l.rules[rule][1:]; len(l.rules[rule]) == 0 {
			delete(l.rules, rule)
		}
	}
}
