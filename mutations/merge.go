package mutations

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/primitives/unstructured"
)

// Merge lays the keys of other ConfigMaps or Secrets to those of the source. The zero Merge changes nothing.
type Merge struct {
	// Layers come after the source, in this order.
	Layers []Layer
	// Named has the copy name its layers, also if there are none.
	Named bool
	// HasSource reports whether the source is among the layers. Then its keys are laid as those of the layer.
	HasSource bool
	// OnKeyConflict says what becomes of a key that has different values. Empty: FailOnConflict.
	OnKeyConflict KeyConflict
}

// NoLayers is what a copy names that names its layers, and has none.
const NoLayers = "none"

// Layer is an object whose keys are laid to those of the source.
type Layer struct {
	// Kind is the kind of the object.
	Kind schema.GroupKind
	// Source is the namespace and name of the object.
	Source types.NamespacedName
	// Content is what ForLayer has made of the object. It is not changed.
	Content map[string]any
}

// KeyConflict says what becomes of a key that has different values.
type KeyConflict string

const (
	// FailOnConflict makes no copy.
	FailOnConflict KeyConflict = "Fail"
	// FirstOnConflict takes the value of the first object that has the key.
	FirstOnConflict KeyConflict = "First"
	// LastOnConflict takes the value of the last object that has the key.
	LastOnConflict KeyConflict = "Last"
	// JoinOnConflict joins the values in their order. Each ends with a newline, and equal ones count once. Values have to be text.
	JoinOnConflict KeyConflict = "Join"
)

// ForLayer returns the mutations that a layer goes through by itself, before its keys are laid to those of the source: those before
// merge-layers. The kind of the input is that of the layer, and its CopyKind that of the copies.
func ForLayer(in Input) []unstructured.Mutation {
	pipeline := ForDestination(in)
	for i := range pipeline {
		if pipeline[i].Name == MergeLayers {
			return pipeline[:i]
		}
	}
	return pipeline
}

// String names the object as annotations of copies do.
func (l Layer) String() string { return l.Kind.String() + "/" + l.Source.String() }

// nameOf names an object in errors.
func nameOf(kind schema.GroupKind, at types.NamespacedName) string {
	return kind.Kind + " " + at.String()
}
