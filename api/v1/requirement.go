package v1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// requirement relates the label with a key to a set of values. The selectors differ in how many they may have, and of how many values.
type requirement interface {
	NamespaceSelectorRequirement | WaveSelectorRequirement
}

// labelSelector returns the parts of a selector as the type of the Kubernetes libraries.
func labelSelector[R requirement](labels map[string]LabelValue, requirements []R) *metav1.LabelSelector {
	selector := &metav1.LabelSelector{MatchLabels: labels}
	for _, r := range requirements {
		selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement(r))
	}
	return selector
}

// cloneRequirements returns requirements that share nothing with those; nil for nil.
func cloneRequirements[R requirement](requirements []R) []R {
	clone := slices.Clone(requirements)
	for i, r := range requirements {
		copied := metav1.LabelSelectorRequirement(r)
		clone[i] = R(*copied.DeepCopy())
	}
	return clone
}
