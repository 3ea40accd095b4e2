package watch

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// RuleKey names one Projection or ClusterProjection.
type RuleKey struct {
	// Kind tells which of the two.
	Kind string
	types.NamespacedName
}

// Trigger says why a rule is woken. Its values are those of the label "event" of projection_e2e_seconds.
type Trigger string

// Causes.
const (
	// RuleChanged: the rule is new, or was changed.
	RuleChanged Trigger = "create"
	// SourceChanged: the source was created, changed or deleted.
	SourceChanged Trigger = "source-update"
	// CopyChanged: a copy was changed or deleted, or what stood in its way is gone.
	CopyChanged Trigger = "self-heal"
	// NamespaceAdded: a namespace has become a target.
	NamespaceAdded Trigger = "namespace-add"
	// NamespaceRemoved: a namespace is no longer a target.
	NamespaceRemoved Trigger = "namespace-remove"
)

// EnqueueFunc asks for a pass of the rule because of something that was noticed at that time. It must not block.
type EnqueueFunc func(rule RuleKey, cause Trigger, noticed time.Time)
