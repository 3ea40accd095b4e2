package projector

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
)

// sourceScope is what one reconcile of a rule knows of one source, besides what it knows of the rule. What holds for a source, and what its owner
// permits, is decided here.
type sourceScope[O owner.Object] struct {
	*scope[O]
	// spec is what the rule asks for of this source.
	spec owner.Spec

	// Set by readSource.
	source   *unstructured.Unstructured // nil: it is not copied
	metadata *unstructured.Unstructured // if its content could not be read in the name of the rule's service account
	problem  policy.Problem             // why it is not copied

	// Set by checkConsent: where the owner of the source permits copies.
	permission policy.Permission

	// Set by newestConsent: whether the owner of the source consents to a copy, and the resourceVersion of the source that was read for that.
	consent   func(copySet, destination.Copy) bool
	confirmed string
}

func (s *scope[O]) newSourceScope(spec owner.Spec) *sourceScope[O] {
	return &sourceScope[O]{scope: s, spec: spec}
}

func (s *sourceScope[O]) sourceKey() types.NamespacedName { return keyOf(s.spec) }

// keyOf returns where the source is that the spec names.
func keyOf(spec owner.Spec) types.NamespacedName {
	return types.NamespacedName{Namespace: spec.Source.Namespace, Name: spec.Source.Name}
}

// named returns the source that the rule names.
func (s *scope[O]) named() *sourceScope[O] { return s.sources[0] }

// isCopied reports whether a source is copied.
func (s *scope[O]) isCopied() bool { return s.named().source != nil }

// whyNone says why the rule wants no copy; zero: it wants some.
func (s *scope[O]) whyNone() policy.Problem { return s.named().problem }

// sourceIn returns where the source is if it is of the kind of the set; otherwise zero, where no object is.
func (s *scope[O]) sourceIn(set copySet) types.NamespacedName {
	if set.kind.GroupKind() != s.spec.Source.GroupKind() {
		return types.NamespacedName{}
	}
	return keyOf(s.spec)
}
