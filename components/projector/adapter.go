package projector

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/metrics"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
)

// Adapter is what the two kinds of rules differ in.
type Adapter[O owner.Object] struct {
	Kind owner.RuleKind
	// New returns an empty rule.
	New func() O
	// NewList returns an empty list of rules.
	NewList func() client.ObjectList
	// NewTargetList returns an empty list of the objects, besides rules, that Targets reads from the cache. Nil: none.
	NewTargetList func() client.ObjectList
	// Spec returns what the rule asks for.
	Spec func(O) owner.Spec
	// Targets returns where copies are to be, sorted by namespace. An error says that it is not known.
	Targets func(context.Context, O) ([]plan.Target, error)
	// Unmatched says in a sentence why the rule has no targets. It is called for a rule without any. Nil: a rule of the kind always has one.
	Unmatched func(context.Context, O) string
	// StillTarget returns a function that reports whether a namespace that was a target is one still. Nil: it always is.
	StillTarget func(context.Context, O) func(namespace string) bool
	// IsEnding reports whether the rule goes with its namespace, which is being deleted, and all copies with it. Nil: it never does.
	IsEnding func(context.Context, O) bool
	// Dropped returns a function that reports whether a namespace exists and is no target. Nil: it always is one.
	Dropped func(context.Context, O) func(namespace string) bool
	// Rollout is what is to be known of rollouts. Zero: the kind has one target.
	Rollout RolloutAdapter[O]
	// HasClusters reports whether the rule names the clusters of its copies. Nil: rules of the kind have copies in their own cluster only.
	HasClusters func(O) bool
	// Fanout are the copies in other clusters. Nil: the operator writes none.
	Fanout Fanout[O]
	// Status returns the status of the rule.
	Status func(O) any
	// Report adds what only this kind's status has. It is called before the status is written, with an outcome for every
	// target and the number of namespaces that were skipped. The outcomes are nil if the reconcile ended before copies were written. The last
	// argument reports whether the status has a field.
	Report func(rule O, outcomes []destination.Outcome, skipped int, has func(field string) bool)
	// Counted returns how many copies the status counts. Nil: that of the kind counts none.
	Counted func(O) metrics.Copies
	// Failures returns what the status reports of single namespaces. Nil: this kind has one target.
	Failures func(O) []v1.NamespaceFailure
}
