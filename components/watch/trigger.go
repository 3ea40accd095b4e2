package watch

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// RuleKey names one Projection or ClusterProjection.
type RuleKey struct {
	// Kind is the kind of the rule.
	Kind string
	types.NamespacedName
}

// Trigger says why a rule is enqueued. Its values are those of the label "event" of projection_e2e_seconds.
type Trigger string

// Triggers.
const (
	// RuleChanged: the rule is new, or was changed.
	RuleChanged Trigger = "create"
	// SourceChanged: the source was created, changed or deleted.
	SourceChanged Trigger = "source-update"
	// CopyChanged: a copy was changed or deleted, or what blocked it is gone.
	CopyChanged Trigger = "self-heal"
	// NamespaceAdded: a namespace has become a target.
	NamespaceAdded Trigger = "namespace-add"
	// NamespaceRemoved: a namespace is no longer a target.
	NamespaceRemoved Trigger = "namespace-remove"
)

// EnqueueFunc enqueues the rule because of an event that was noticed at that time. It must not block.
type EnqueueFunc func(rule RuleKey, trigger Trigger, noticed time.Time)

// notification is a rule that is to be enqueued.
type notification struct {
	rule    RuleKey
	trigger Trigger
}

func notifyAll(enqueue EnqueueFunc, noticed time.Time, notified []notification) {
	for _, n := range notified {
		enqueue(n.rule, n.trigger, noticed)
	}
}
