package v1

import "maps"

// Overlay has labels and annotations to add to the copies. If the source has the same key, the overlay wins.
//
// +kubebuilder:object:generate=false
type Overlay struct {
	// labels are added to every copy and win over labels of the source.
	// +optional
	// +kubebuilder:validation:MaxProperties=100
	// +kubebuilder:validation:XValidation:rule="self.all(k, !format.qualifiedName().validate(k).hasValue())",reason=FieldValueInvalid,message="not every key can be the key of a label: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case",messageExpression="self.map(k, format.qualifiedName().validate(k).hasValue(), '\"' + k + '\" cannot be the key of a label: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case')[0]"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.startsWith('projection.sh/'))",reason=FieldValueForbidden,message="keys with the prefix projection.sh/ belong to the operator and cannot be set here: use another prefix, such as \"example.com/\"",messageExpression="self.map(k, k.startsWith('projection.sh/'), '\"' + k + '\" belongs to the operator and cannot be set here: use another prefix than projection.sh/, such as \"example.com/\"')[0]"
	Labels map[string]LabelValue `json:"labels,omitempty"`

	// annotations are added to every copy and win over annotations of the source.
	// Kubernetes limits all annotations of an object, those of the source
	// included, to 256 KiB.
	// +optional
	// +kubebuilder:validation:MaxProperties=100
	// +kubebuilder:validation:XValidation:rule="self.all(k, !format.qualifiedName().validate(k.lowerAscii()).hasValue())",reason=FieldValueInvalid,message="not every key can be the key of an annotation: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case",messageExpression="self.map(k, format.qualifiedName().validate(k.lowerAscii()).hasValue(), '\"' + k + '\" cannot be the key of an annotation: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case')[0]"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.startsWith('projection.sh/'))",reason=FieldValueForbidden,message="keys with the prefix projection.sh/ belong to the operator and cannot be set here: use another prefix, such as \"example.com/\"",messageExpression="self.map(k, k.startsWith('projection.sh/'), '\"' + k + '\" belongs to the operator and cannot be set here: use another prefix than projection.sh/, such as \"example.com/\"')[0]"
	// +kubebuilder:validation:XValidation:rule="self.map(k, size(k) + size(self[k])).sum() <= 262144",reason=FieldValueInvalid,message="the annotations of an object may not exceed 256 KiB in total, those of the source included: shorten or remove some"
	Annotations map[string]AnnotationValue `json:"annotations,omitempty"`
}

// DeepCopyInto copies the overlay into out. It is written by hand, like that of NamespaceSelector, since the generator
// cannot copy maps of aliases.
func (o *Overlay) DeepCopyInto(out *Overlay) {
	out.Labels = maps.Clone(o.Labels)
	out.Annotations = maps.Clone(o.Annotations)
}

// DeepCopy returns a copy that shares nothing with the overlay. That of nil is nil.
func (o *Overlay) DeepCopy() *Overlay {
	if o == nil {
		return nil
	}
	out := new(Overlay)
	o.DeepCopyInto(out)
	return out
}

// LabelValue is the value of a label.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="!format.labelValue().validate(self).hasValue()",reason=FieldValueInvalid,message="this cannot be the value of a label: write at most 63 letters, digits, \"-\", \"_\" and \".\", with a letter or digit at both ends, or nothing"
type LabelValue = string

// AnnotationValue is the value of an annotation.
//
// +kubebuilder:validation:MaxLength=262144
type AnnotationValue = string
