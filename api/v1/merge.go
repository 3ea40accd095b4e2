package v1

// Merge lays the keys of other ConfigMaps or Secrets to those of the source, in one copy.
type Merge struct {
	// layers are the objects whose keys are added to those of the source, in this order. Everything but the keys is copied of the source.
	// Each layer is an object whose owner has to consent as the owner of the source has, and content applies to each by itself.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Layers []Layer `json:"layers,omitempty"`

	// onKeyConflict defines what happens if objects have different values for a key. Fail, the default: no copy is written, and the rule reports
	// the key. First: the copies have the value of the first object that has the key, the source being the very first. Last: they have that of the
	// last one. Join: they have all values, one after the other, each ended by a newline, and equal ones once; values that are not text
	// are an error.
	// +optional
	OnKeyConflict KeyConflictPolicy `json:"onKeyConflict,omitempty"`
}

// Layer names an object whose keys are laid to those of the source.
type Layer struct {
	// kind is the kind of the layer: ConfigMap or Secret. Defaults to that of the source.
	// +optional
	// +kubebuilder:validation:Enum=ConfigMap;Secret
	Kind string `json:"kind,omitempty"`

	// namespace is the namespace of the layer.
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Label().validate(self).hasValue()",reason=FieldValueInvalid,message="this cannot be the name of a namespace: write lower case letters, digits and \"-\", with a letter or digit at both ends, like \"platform\""
	Namespace string `json:"namespace"`

	// name is the name of the layer.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self != '' && self != '.' && self != '..' && !self.contains('/') && !self.contains('%')",reason=FieldValueInvalid,message="this cannot be the name of an object: write it without \"/\" and \"%\", and not as \".\" or \"..\"; the namespace goes into namespace"
	Name string `json:"name"`

	// optional has the copies written without the layer if it does not exist, or if its owner does not consent. If a layer that is not
	// optional does not exist, the copies stay as they are; if its owner does not consent, they are deleted, as with the source.
	// +optional
	Optional bool `json:"optional,omitempty"`
}

// KeyConflictPolicy says what becomes of a key for which objects have different values.
//
// +kubebuilder:validation:Enum=Fail;First;Last;Join
type KeyConflictPolicy string

// Policies for keys that have different values.
const (
	// KeyConflictFail writes no copy. It is the default.
	KeyConflictFail KeyConflictPolicy = "Fail"
	// KeyConflictFirst takes the first value.
	KeyConflictFirst KeyConflictPolicy = "First"
	// KeyConflictLast takes the last value.
	KeyConflictLast KeyConflictPolicy = "Last"
	// KeyConflictJoin joins all values.
	KeyConflictJoin KeyConflictPolicy = "Join"
)

// MergeSpec is what a rule merges with its source.
//
// +kubebuilder:object:generate=false
type MergeSpec struct {
	// Layers are the layers in their order.
	Layers []LayerSpec
	// OnKeyConflict says what becomes of a key for which objects have different values. Empty: KeyConflictFail.
	OnKeyConflict KeyConflictPolicy
}

// LayerSpec is a layer as a source.
//
// +kubebuilder:object:generate=false
type LayerSpec struct {
	// Source names the layer.
	Source SourceRef
	// Optional reports whether copies are written without the layer if there is none.
	Optional bool
}

// with returns what is merged with the source.
func (m *Merge) with(source SourceRef) MergeSpec {
	if m == nil {
		return MergeSpec{}
	}
	spec := MergeSpec{OnKeyConflict: m.OnKeyConflict, Layers: make([]LayerSpec, len(m.Layers))}
	for i, layer := range m.Layers {
		ref := SourceRef{Kind: nameOr(layer.Kind, source.Kind), Namespace: layer.Namespace, Name: layer.Name}
		if ref.Kind == source.Kind {
			ref.Version = source.Version
		}
		spec.Layers[i] = LayerSpec{Source: ref, Optional: layer.Optional}
	}
	return spec
}
