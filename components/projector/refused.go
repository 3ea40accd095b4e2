package projector

import (
	"hash/maphash"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/projector/internal/memory"
)

// longestRefusal bounds the backoff of a write that the API server refuses.
const longestRefusal = 5 * time.Minute

// longestBackoff returns the longest backoff of a write that the API server refuses.
func (c *Config) longestBackoff() time.Duration {
	return min(10*c.Requeue, max(longestRefusal, c.Requeue))
}

// refusedReadBackoff returns when a read that the API server has refused is tried again: as a write that it refuses.
func (s *scope[O]) refusedReadBackoff() (backoff time.Duration) {
	s.remembered(func(r *memory.Rule) { backoff = r.RefusedReads.Next(s.clock(), s.config.longestBackoff()) })
	return backoff
}

// basis is what the result of a write may depend on besides the content.
type basis struct {
	rule       types.UID
	generation int64
	namespace  string            // its resourceVersion
	known      destination.State // without its resourceVersion: a status that changes allows no write that was refused
}

var basisSeed = maphash.MakeSeed()

// basisOf returns the hash of what is known now of the rule, the namespace and the place. When it changes, a write that was refused
// is tried again at once.
// Example: a policy refuses the update of a copy. Somebody deletes the copy, so that another one can be created.
func (m *memberScope[O]) basisOf(set copySet, target plan.Target, at types.NamespacedName) uint64 {
	known := set.Cache.Known(at)
	known.ResourceVersion = ""
	return maphash.Comparable(basisSeed, basis{
		rule: m.scope.id.UID, generation: m.scope.rule.GetGeneration(), namespace: target.Version, known: known,
	})
}

// heldWrite returns the failure of a write that was refused and is not to be tried again yet.
func (m *memberScope[O]) heldWrite(write job) (held destination.Outcome, found bool) {
	target := write.set.target(write.at)
	if m.isUnderWay(target) {
		return destination.Outcome{}, false
	}
	if _, late := m.late[target]; late {
		return destination.Outcome{}, false
	}
	m.scope.remembered(func(r *memory.Rule) {
		held, found = r.Failures.Held(target, write.content, write.basis, m.scope.clock())
	})
	return held, found
}

// rememberFailure remembers a failure. It returns the failure with the backoff that it has if it is a refused write.
func (m *memberScope[O]) rememberFailure(target lane.Target, failure destination.Outcome) destination.Outcome {
	m.scope.remembered(func(r *memory.Rule) {
		failure = r.Failures.Add(target, failure, m.scope.clock(), m.scope.config.longestBackoff())
	})
	return failure
}

// rememberEnd remembers that a request has ended, and its failure if it is a write that failed. It returns the outcome.
func (m *memberScope[O]) rememberEnd(target lane.Target, outcome destination.Outcome) destination.Outcome {
	if outcome.Err != nil && outcome.Content != "" {
		return m.rememberFailure(target, outcome)
	}
	m.scope.remembered(func(r *memory.Rule) { r.Failures.Remove(target) })
	return outcome
}
