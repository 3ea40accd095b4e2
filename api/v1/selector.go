package v1

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NamespaceSelector is a standard label selector with limits and validation, so that the API server rejects a mistake in it.
//
// +kubebuilder:object:generate=false
type NamespaceSelector struct {
	// matchLabels selects namespaces that have all of these labels with these values.
	// +optional
	// +kubebuilder:validation:MaxProperties=50
	// +kubebuilder:validation:XValidation:rule="self.all(k, !format.qualifiedName().validate(k).hasValue())",reason=FieldValueInvalid,message="not every key can be the key of a label: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case",messageExpression="self.map(k, format.qualifiedName().validate(k).hasValue(), '\"' + k + '\" cannot be the key of a label: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case')[0]"
	MatchLabels map[string]LabelValue `json:"matchLabels,omitempty"`

	// matchExpressions selects namespaces whose labels meet all of these requirements.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	MatchExpressions []NamespaceSelectorRequirement `json:"matchExpressions,omitempty"`
}

// NamespaceSelectorRequirement relates the label with a key to a set of values.
//
// +kubebuilder:validation:XValidation:rule="!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)",reason=FieldValueRequired,fieldPath=.values,message="the operators In and NotIn compare with values: list at least one, or use Exists or DoesNotExist"
// +kubebuilder:validation:XValidation:rule="!(self.operator in ['Exists', 'DoesNotExist']) || !has(self.values) || size(self.values) == 0",reason=FieldValueForbidden,fieldPath=.values,message="the operators Exists and DoesNotExist ask for the key alone: remove values, or use In or NotIn"
type NamespaceSelectorRequirement struct {
	// key of the label that the requirement is about.
	// +required
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="!format.qualifiedName().validate(self).hasValue()",reason=FieldValueInvalid,message="this cannot be the key of a label: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case"
	Key string `json:"key"`

	// operator relates the label to the values: In and NotIn compare its value
	// with them; Exists and DoesNotExist check only the key. NotIn also matches
	// namespaces without the label.
	// +required
	// +kubebuilder:validation:Enum=In;NotIn;Exists;DoesNotExist
	Operator metav1.LabelSelectorOperator `json:"operator"`

	// values for In and NotIn. Must be empty for Exists and DoesNotExist.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	Values []LabelValue `json:"values,omitempty"`
}

// LabelSelector converts the selector to the type of the Kubernetes libraries. Nil, which matches nothing, stays nil.
func (s *NamespaceSelector) LabelSelector() *metav1.LabelSelector {
	if s == nil {
		return nil
	}
	return labelSelector(s.MatchLabels, s.MatchExpressions)
}

// DeepCopyInto copies the selector into out.
func (s *NamespaceSelector) DeepCopyInto(out *NamespaceSelector) {
	out.MatchLabels, out.MatchExpressions = maps.Clone(s.MatchLabels), cloneRequirements(s.MatchExpressions)
}

// DeepCopy returns a copy that shares nothing with the selector. That of nil is nil.
func (s *NamespaceSelector) DeepCopy() *NamespaceSelector {
	if s == nil {
		return nil
	}
	out := new(NamespaceSelector)
	s.DeepCopyInto(out)
	return out
}
