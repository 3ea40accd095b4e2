package v1

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Overlay has labels and annotations to add to the copies, and fields to set in them. What the source has there is replaced.
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

	// fields are set in every copy to the values of CEL expressions, after everything else. If one of two paths leads below the other, the
	// later entry wins.
	// +optional
	// +listType=map
	// +listMapKey=path
	// +kubebuilder:validation:MaxItems=32
	Fields []OverlayField `json:"fields,omitempty"`
}

// OverlayField is a field of the copies and the expression for its value.
//
// +kubebuilder:validation:XValidation:rule="has(self.expression) || has(self.value)",reason=FieldValueRequired,fieldPath=.expression,message="write a CEL expression for the value: a fixed text has quotes inside of it, such as \"'production'\", and a number has none, such as \"3\""
type OverlayField struct {
	// path is the path of the field, such as spec.template.spec.containers[name=web].image. Maps on the way to it are created; elements of
	// lists have to exist. Of metadata, it is the path of one label or one annotation, such as metadata.labels["example.com/team"].
	// +required
	Path OverlayPath `json:"path"`

	// expression is a CEL expression for the value, such as "'team-' + target.labels['team']" or "3". It knows two variables: source, the
	// object that is copied, and target, the namespace of the copy with its name, labels and annotations. If it results in optional.none(),
	// the field stays as the source has it. It must be set.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self != ''",reason=FieldValueRequired,message="write a CEL expression, such as \"'production'\" or \"target.labels['team']\""
	Expression string `json:"expression,omitempty"`

	// value is refused: expression says which value the field has.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="false",reason=FieldValueForbidden,message="write expression instead: a fixed text has quotes inside of it, such as expression: \"'production'\", and a number has none, such as expression: \"3\""
	Value *intstr.IntOrString `json:"value,omitempty"`
}

// OverlayPath is the path of a field that can be set, such as data["config.json"] or metadata.labels["team"].
//
// +kubebuilder:validation:MaxLength=512
// +kubebuilder:validation:XValidation:rule="self.matches(r'^[A-Za-z_$][-A-Za-z0-9_$]*(\\.[A-Za-z_$][-A-Za-z0-9_$]*|\\[\"[^\"\\\\]+\"\\]|\\[\\*\\]|\\[[A-Za-z][A-Za-z0-9]*=[^],=\"\\[]+(,[A-Za-z][A-Za-z0-9]*=[^],=\"\\[]+)*\\])*$')",reason=FieldValueInvalid,message="this cannot be the path of a field: write names with dots, [\"...\"] for a name with other characters, [*] for all elements of a list, and [name=web] for the elements with this value, like spec.template.spec.containers[name=web].image"
// +kubebuilder:validation:XValidation:rule="!self.matches('^(apiVersion|kind|status)($|[.\\\\[])')",reason=FieldValueForbidden,message="apiVersion, kind and status cannot be set"
// +kubebuilder:validation:XValidation:rule="!self.matches('^metadata($|[.\\\\[])') || self.matches(r'^metadata[.](labels|annotations)([.][A-Za-z_$][-A-Za-z0-9_$]*|\\[\"[^\"\\\\]+\"\\])$')",reason=FieldValueForbidden,message="of metadata, only single labels and annotations can be set: write metadata.labels[\"...\"] or metadata.annotations[\"...\"]"
// +kubebuilder:validation:XValidation:rule="!self.startsWith('metadata.labels[\"projection.sh/') && !self.startsWith('metadata.annotations[\"projection.sh/')",reason=FieldValueForbidden,message="keys with the prefix projection.sh/ belong to the operator and cannot be set here: use another prefix, such as \"example.com/\""
type OverlayPath = string

// DeepCopyInto copies the overlay into out. It is written by hand, like that of NamespaceSelector, since the generator
// cannot copy maps of aliases.
func (o *Overlay) DeepCopyInto(out *Overlay) {
	out.Labels = maps.Clone(o.Labels)
	out.Annotations = maps.Clone(o.Annotations)
	out.Fields = slices.Clone(o.Fields)
	for i := range o.Fields {
		o.Fields[i].DeepCopyInto(&out.Fields[i])
	}
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
