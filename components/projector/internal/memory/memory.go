// Package memory holds what the operator remembers of each rule between reconciles. All of it is lost at a restart, and none
// of it decides what is copied.
package memory

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/components/destination"
)

// Rule is what is remembered of one rule.
type Rule struct {
	// Triggers are why the rule was enqueued, until a reconcile has dealt with them.
	Triggers Triggers
	// Written is the rule as the API server returned it to the last write, until the cache has it; nil if the cache has.
	Written client.Object
	// Uncertain reports whether a write of the rule failed, so that it is not known what the API server holds.
	Uncertain bool
	// Status and Kinds are the statuses and the records of kinds that this process has written.
	Status, Kinds OwnWrites
	// Outdated is how many reconciles in a row have ended because the rule was changed meanwhile.
	Outdated int
	// StatusRepairs delays the repairs of a status that somebody else keeps writing.
	StatusRepairs Backoff
	// RefusedReads delays reads of the source that the API server refuses.
	RefusedReads Backoff
	// Failures are the last failures of copies whose writes are slow.
	Failures Failures
	// Copies are the numbers of copies that the metrics count.
	Copies Copies
	// Reconciled reports whether this process has reconciled the rule.
	Reconciled bool
	// Unselected is what was done since the rule lost the label by which it was selected.
	Unselected Unselected
	// Clean are the fields of copies that need not be looked at before a write, for the filter of fields that has the hash CleanFor; nil:
	// the rule has no filter.
	Clean    *destination.CleanFields
	CleanFor Hash
}

// Unselected is what was done since a rule lost the label by which it was selected.
type Unselected struct {
	// Since is when that was noticed; zero: the rule is selected.
	Since time.Time
	// Reported reports whether the status says so.
	Reported bool
}

// Copies counts the copies of a rule.
type Copies struct{ InSync, Failed int }

// Store holds a Rule for each rule that has one. It is safe for concurrent use.
type Store struct {
	mu    sync.Mutex
	rules map[types.NamespacedName]*Rule
}

// NewStore returns an empty store.
func NewStore() *Store { return &Store{rules: map[types.NamespacedName]*Rule{}} }

// Do calls the function with what is remembered of the rule. The function must not block, and must not keep the pointer.
func (s *Store) Do(rule types.NamespacedName, do func(*Rule)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	remembered, found := s.rules[rule]
	if !found {
		remembered = &Rule{}
		s.rules[rule] = remembered
	}
	do(remembered)
}

// Drop forgets the rule, and returns what was remembered of it.
func (s *Store) Drop(rule types.NamespacedName) Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	remembered, found := s.rules[rule]
	if !found {
		return Rule{}
	}
	delete(s.rules, rule)
	return *remembered
}

// ForgetWritten forgets which rules were written last. The cache is known to have what became of them.
func (s *Store) ForgetWritten() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, remembered := range s.rules {
		remembered.Written = nil
	}
}

// Len returns the number of rules of which something is remembered.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.rules)
}
