package v1

// Merge lays the keys of several ConfigMaps or Secrets into one copy: those of the source, or of all sources that source.selector selects, in the order
// of their names, and then those of the layers.
type Merge struct {
	// layers are the objects whose keys are added to those of the source, in this order. Everything but the keys is copied of the source, or of the
	// first one that source.selector selects. Each owner has to consent as the owner of the source has, and content applies to each object by
	// itself. With source.selector, there may be none. Selected sources and layers are at most 500 together.
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

// Layer names an object whose keys are laid to those of the source, or selects several.
//
// +kubebuilder:validation:XValidation:rule="has(self.name) || has(self.selector)",reason=FieldValueRequired,fieldPath=.name,message="name the layer, or select several objects by their labels in selector"
// +kubebuilder:validation:XValidation:rule="!(has(self.name) && has(self.selector))",reason=FieldValueForbidden,fieldPath=.selector,message="name and selector are mutually exclusive: keep the name of one layer, or the selector of several, and remove the other"
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

	// name is the name of the layer. Either name or selector is set.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self != '' && self != '.' && self != '..' && !self.contains('/') && !self.contains('%')",reason=FieldValueInvalid,message="this cannot be the name of an object: write it without \"/\" and \"%\", and not as \".\" or \"..\"; the namespace goes into namespace"
	Name string `json:"name,omitempty"`

	// selector selects objects in namespace by their labels; {} selects all. They are layers in the order of their names. One whose owner does not
	// consent is passed over. Objects that are being deleted, and copies of this rule, are not selected.
	// +optional
	Selector *SourceSelector `json:"selector,omitempty"`

	// optional has the copies written without the layer if it does not exist, or if its owner does not consent. If a layer that is not
	// optional does not exist, the copies stay as they are; if its owner does not consent, they are deleted, as with the source. A selector that selects
	// nothing to merge is a layer that does not exist.
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
	// Source names the layer, or selects several; then its name is SelectedName.
	Source SourceRef
	// Optional reports whether copies are written without the layer if there is none.
	Optional bool
}

// SelectedName is in the place of a name where all objects that a selector selects are merged. No object has this name.
const SelectedName = "*"

// with returns what is merged with the source.
func (m *Merge) with(source SourceRef) MergeSpec {
	if m == nil {
		return MergeSpec{}
	}
	spec := MergeSpec{OnKeyConflict: m.OnKeyConflict, Layers: make([]LayerSpec, len(m.Layers))}
	for i, layer := range m.Layers {
		ref := SourceRef{Kind: nameOr(layer.Kind, source.Kind), Namespace: layer.Namespace, Name: layer.Name, Selector: layer.Selector}
		if ref.Kind == source.Kind {
			ref.Version = source.Version
		}
		spec.Layers[i] = LayerSpec{Source: ref.asMerged(), Optional: layer.Optional}
	}
	return spec
}

// of returns the source of a rule that merges what the source selects; if it merges nothing, that is the source as it is.
func (m *Merge) of(source SourceRef) SourceRef {
	if m == nil {
		return source
	}
	return source.asMerged()
}

// asMerged returns the reference as that of something that is merged.
func (s SourceRef) asMerged() SourceRef {
	if s.Selector != nil {
		s.Name = SelectedName
	}
	return s
}
