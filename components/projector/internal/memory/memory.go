// Package memory holds what the operator remembers of each rule between reconciles. All of it is lost at a restart, and none
// of it decides what is copied.
package memory

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/metrics"
	"projection.sh/operator/components/watch"
)

// Rule is what is remembered of one rule.
type Rule struct {
	// Triggers are why the rule was enqueued, until a reconcile has dealt with them.
	Triggers Triggers
	// Working are the triggers that the reconcile which is under way deals with.
	Working Triggers
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
	// Awaits is since when the status waits for the reports of branches; zero: it does not.
	Awaits time.Time
	// RefusedReads delays reads of the source that the API server refuses.
	RefusedReads Backoff
	// RevocationAwaited reports whether the last reconcile has left copies without the consent of the owner of a layer to another try.
	RevocationAwaited bool
	// Failures are the last failures of copies whose writes are slow.
	Failures Failures
	// Rollout is the rollout of the rule.
	Rollout Rollout
	// Health is what was seen of the copies that have to be healthy, and Examined reports whether this process has found out which these are.
	Health   map[types.NamespacedName]Health
	Examined bool
	// Copies are the numbers of copies that the metrics count.
	Copies metrics.Copies
	// Ready is the condition that the metrics count.
	Ready metrics.Readiness
	// Reconciled reports whether this process has reconciled the rule.
	Reconciled bool
	// Searched reports whether this process has looked for copies of the rule that no watch shows.
	Searched bool
	// LookedFor is the generation of the rule, and the reason for which no copy was wanted, when copies without their label were looked for last.
	LookedFor Hash
	// Unsearched are the namespaces in which a rule that selects its sources may have copies without their label; nil: that is not known yet.
	Unsearched map[string]bool
	// Unselected is what was done since the rule lost the label by which it was selected.
	Unselected Unselected
	// Sources are what is remembered of the sources, by name; that of a rule that names its source has none.
	Sources map[string]*Source
	// Naming names the copies of a rule with an expression for that, of the source as it was read last; nil: it has none, or was not read.
	Naming *destination.SourceNaming
	// ContentFrom is the name of the selected source from which on the next reconcile holds content; empty: the first.
	ContentFrom string
	// From is the cluster in which the rule watches its source; nil: it was not reconciled.
	From Cluster
	// Recreations are the copies that the rule recreates; nil: it recreates none.
	Recreations *destination.Recreations
}

// Cluster is one in which a rule watches its source.
type Cluster interface {
	// Leave ends what the rule has begun there.
	Leave(rule watch.RuleKey)
}

// Source is what is remembered of a source of a rule. It holds no content.
type Source struct {
	// Clean are the fields of copies that need not be looked at before a write, for the filter of fields that has the hash CleanFor; nil:
	// the rule has no filter.
	Clean    *destination.CleanFields
	CleanFor Hash
	// TargetHashes are the content hashes of the copies of a rule with expressions for values, and TargetNames the names of those of a rule with one
	// for names; nil: it has none.
	TargetHashes, TargetNames *destination.TargetTexts
}

// Source returns what is remembered of the source with that name.
func (r *Rule) Source(name string) *Source {
	if r.Sources == nil {
		r.Sources = map[string]*Source{}
	}
	if r.Sources[name] == nil {
		r.Sources[name] = &Source{}
	}
	return r.Sources[name]
}

// Unselected is what was done since a rule lost the label by which it was selected.
type Unselected struct {
	// Since is when that was noticed; zero: the rule is selected.
	Since time.Time
	// Reported reports whether the status says so.
	Reported bool
}

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

// DoIfKnown calls the function with what is remembered of the rule, if anything is. The function must not block, and must not keep the pointer.
func (s *Store) DoIfKnown(rule types.NamespacedName, do func(*Rule)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if remembered, found := s.rules[rule]; found {
		do(remembered)
	}
}

// Rules returns the rules of which something is remembered.
func (s *Store) Rules() []types.NamespacedName {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.rules))
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

// OldestTrigger returns when the oldest trigger was noticed, of those that a reconcile deals with and of those that wait for one; zero: there is
// none.
func (s *Store) OldestTrigger() (oldest time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, remembered := range s.rules {
		for _, triggers := range []Triggers{remembered.Triggers, remembered.Working} {
			for _, noticed := range triggers {
				if oldest.IsZero() || noticed.Before(oldest) {
					oldest = noticed
				}
			}
		}
	}
	return oldest
}

// Len returns the number of rules of which something is remembered.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.rules)
}
