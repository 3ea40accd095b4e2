package v1

import "maps"

// Overlay is what copies bear on top of the metadata of their source. A key that both have takes the overlay's value.
//
// +kubebuilder:object:generate=false
type Overlay struct {
	// labels are added to every copy and win over labels of the source.
	// +optional
	// +kubebuilder:validation:MaxProperties=100
	Labels map[string]LabelValue `json:"labels,omitempty"`

	// annotations are added to every copy and win over annotations of the source. Kubernetes limits all annotations
	// of an object, those of the source included, to 256 KiB.
	// +optional
	// +kubebuilder:validation:MaxProperties=100
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
// +kubebuilder:validation:Pattern=`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`
type LabelValue = string

// AnnotationValue is the value of an annotation.
//
// +kubebuilder:validation:MaxLength=262144
type AnnotationValue = string
