// Package owner holds what Projection and ClusterProjection have in common: who a rule is, what it asks for, and how
// its copies are marked and recognised.
package owner

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/primitives/component"
)

// Object is a rule of either kind.
type Object interface {
	component.OperatorCRD

	// GetCommonStatus returns the part of the status that both kinds have.
	GetCommonStatus() *v1.CommonStatus
}

// Spec is what a rule of either kind asks for, except for where its copies are to be.
type Spec struct {
	// Source is the object that is copied, or selects several.
	Source v1.SourceRef
	// Name is the name of every copy, unless there is a NameExpression; empty: each copy has the name of its source.
	Name string
	// NameExpression is the expression for the name of a copy; empty: all copies have the Name.
	NameExpression string
	// CopyKind is the kind of the copies if it is another one than that of the source; empty: it is that of the source.
	CopyKind string
	// Content says what of the source is copied.
	Content v1.Content
	// Merge says what is merged with the source; zero: nothing.
	Merge v1.MergeSpec
	// Overlay holds labels and annotations that every copy gets.
	Overlay v1.Overlay
	// Account is the service account in whose name the source is read and copies are written; nil: the operator itself. It does not
	// belong to the content of copies.
	Account *v1.ServiceAccountRef
	// Rollout says in which order copies are changed; nil: all at once. It does not belong to the content of copies.
	Rollout *v1.Rollout
	// Policy says how copies begin and end.
	Policy v1.Policy
	// Suspended reports whether nothing is written or deleted for the rule until it is deleted.
	Suspended bool
	// isSelected reports whether the Source is one of those that the rule selects.
	isSelected bool
}

// Selects reports whether the rule selects its sources, and copies each by itself.
func (s Spec) Selects() bool { return s.Source.Selector != nil && !s.MergesSelected() }

// MergesSelected reports whether all sources that the rule selects become one copy.
func (s Spec) MergesSelected() bool {
	return s.Source.Selector != nil && s.Source.Name == v1.SelectedName
}

// Merges reports whether the rule merges several objects into one copy.
func (s Spec) Merges() bool { return s.MergesSelected() || len(s.Merge.Layers) > 0 }

// SaysSource reports whether only what a copy says of its source tells of which one it is: the rule that selects the source names copies by an expression.
func (s Spec) SaysSource() bool { return s.isSelected && s.NameExpression != "" }

// IsSelected reports whether the Source is one of those that the rule selects.
func (s Spec) IsSelected() bool { return s.isSelected }

// For returns what the rule asks for of the source with that name, if it selects its sources.
func (s Spec) For(name string) Spec {
	if !s.Selects() {
		return s
	}
	s.Source.Name, s.Source.Selector, s.isSelected = name, nil, true
	if s.Name == "" {
		s.Name = name
	}
	return s
}

// KindOfCopies returns the kind of the copies.
func (s Spec) KindOfCopies() schema.GroupKind {
	if s.CopyKind == "" {
		return s.Source.GroupKind()
	}
	return schema.GroupKind{Kind: s.CopyKind}
}

// HasSecret reports whether a Secret is among what the rule copies.
func (s Spec) HasSecret() bool {
	secret := schema.GroupKind{Kind: "Secret"}
	return s.Source.GroupKind() == secret ||
		slices.ContainsFunc(s.Merge.Layers, func(l v1.LayerSpec) bool { return l.Source.GroupKind() == secret })
}

// OfLayer returns what the rule asks for of a layer, as if the layer were its source: of the same kind of copies.
func (s Spec) OfLayer(layer v1.LayerSpec) Spec {
	copies := s.KindOfCopies()
	s.Source, s.Merge, s.CopyKind = layer.Source, v1.MergeSpec{}, ""
	if layer.Source.GroupKind() != copies {
		s.CopyKind = copies.Kind
	}
	return s
}

// User returns in whose name the source is read and copies are written.
func (s Spec) User() impersonate.User { return impersonate.UserOf(s.Account) }

// IdentityOf returns the identity of a rule.
func IdentityOf(kind RuleKind, rule Object) Identity {
	return Identity{Kind: kind, Namespace: rule.GetNamespace(), Name: rule.GetName(), UID: rule.GetUID()}
}
