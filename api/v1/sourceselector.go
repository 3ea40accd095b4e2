package v1

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SourceSelector is a standard label selector, as NamespaceSelector is, with smaller limits.
//
// +kubebuilder:object:generate=false
type SourceSelector struct {
	// matchLabels selects objects that have all of these labels with these values.
	// +optional
	// +kubebuilder:validation:MaxProperties=10
	// +kubebuilder:validation:XValidation:rule="self.all(k, !format.qualifiedName().validate(k).hasValue())",reason=FieldValueInvalid,message="not every key can be the key of a label: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case",messageExpression="self.map(k, format.qualifiedName().validate(k).hasValue(), '\"' + k + '\" cannot be the key of a label: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case')[0]"
	MatchLabels map[string]LabelValue `json:"matchLabels,omitempty"`

	// matchExpressions selects objects whose labels meet all of these requirements.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	MatchExpressions []WaveSelectorRequirement `json:"matchExpressions,omitempty"`
}

// LabelSelector converts the selector to the type of the Kubernetes libraries. Nil, which matches nothing, stays nil.
func (s *SourceSelector) LabelSelector() *metav1.LabelSelector {
	if s == nil {
		return nil
	}
	return labelSelector(s.MatchLabels, s.MatchExpressions)
}

// DeepCopyInto copies the selector into out.
func (s *SourceSelector) DeepCopyInto(out *SourceSelector) {
	out.MatchLabels, out.MatchExpressions = maps.Clone(s.MatchLabels), cloneRequirements(s.MatchExpressions)
}

// DeepCopy returns a copy that shares nothing with the selector. That of nil is nil.
func (s *SourceSelector) DeepCopy() *SourceSelector {
	if s == nil {
		return nil
	}
	out := new(SourceSelector)
	s.DeepCopyInto(out)
	return out
}
