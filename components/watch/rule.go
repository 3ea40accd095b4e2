package watch

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Rule names one Projection or ClusterProjection.
type Rule struct {
	// Kind tells which of the two.
	Kind string
	types.NamespacedName
}

// Cause says why a rule is woken. Its values are those of the label "event" of projection_e2e_seconds.
type Cause string

// Causes.
const (
	// Created: the rule is new, or was changed.
	Created Cause = "create"
	// SourceChanged: the source was created, changed or deleted.
	SourceChanged Cause = "source-update"
	// CopyChanged: a copy was changed or deleted, or what stood in its way is gone.
	CopyChanged Cause = "self-heal"
	// NamespaceAdded: a namespace has become a target.
	NamespaceAdded Cause = "namespace-add"
	// NamespaceRemoved: a namespace is no longer a target.
	NamespaceRemoved Cause = "namespace-remove"
)

// Wake asks for a pass of the rule because of something that was noticed at that time. It must not block.
type Wake func(rule Rule, cause Cause, noticed time.Time)
