// Package owner holds what Projection and ClusterProjection have in common: who a rule is, how it marks its copies,
// and how it recognises them.
package owner

import (
	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/primitives/component"
)

// Object is a rule of either kind.
type Object interface {
	component.OperatorCRD

	// GetSource returns the object that is to be copied.
	GetSource() v1.SourceRef
	// GetDestinationName returns the name of every copy.
	GetDestinationName() string
	// GetOverlay returns the labels and annotations that every copy gets.
	GetOverlay() v1.Overlay
	// GetCommonStatus returns the part of the status that both kinds have.
	GetCommonStatus() *v1.CommonStatus
}

// IdentityOf returns the identity of a rule.
func IdentityOf(tier RuleKind, rule Object) Identity {
	return Identity{Kind: tier, Namespace: rule.GetNamespace(), Name: rule.GetName(), UID: rule.GetUID()}
}
