package destination

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/mutations"
	"projection.sh/operator/primitives/unstructured/static"
)

// LayerError says that no copy can be made because of a layer.
type LayerError struct {
	// Kind, Namespace and Name are those of the layer.
	Kind, Namespace, Name string
	// Err is what is wrong with it.
	Err error
}

func (e *LayerError) Error() string {
	return e.Kind + " " + e.Namespace + "/" + e.Name + ": " + e.Err.Error()
}

// Unwrap returns what is wrong with the layer.
func (e *LayerError) Unwrap() error { return e.Err }

// addLayers renders the layers, each by itself, for the template to merge them with the source. If a layer may be copied into some namespaces
// only, so may the copies.
func (r *Renderer) addLayers(layers []*unstructured.Unstructured, spec owner.Spec) error {
	r.input.Merge = mutations.Merge{
		OnKeyConflict: mutations.KeyConflict(spec.Merge.OnKeyConflict), Named: spec.Merges(), HasSource: spec.MergesSelected(),
	}
	copies := r.input.KindOfCopies()
	for _, layer := range layers {
		of := r.input
		of.Merge, of.Kind, of.CopyKind = mutations.Merge{}, layer.GroupVersionKind().GroupKind(), copies.Kind
		resource, err := static.NewBuilder(layer.DeepCopy()).WithMutation(mutations.ForLayer(of)...).Build()
		if err != nil {
			return err
		}
		rendered, err := resource.PreviewObject()
		if err != nil {
			return &LayerError{layer.GetKind(), layer.GetNamespace(), layer.GetName(), err}
		}
		r.input.Merge.Layers = append(r.input.Merge.Layers, mutations.Layer{
			Kind: of.Kind, Source: types.NamespacedName{Namespace: layer.GetNamespace(), Name: layer.GetName()}, Content: rendered.Object,
		})
		r.input.OptOut = r.input.OptOut || policy.IsLimited(layer.GetAnnotations())
	}
	return nil
}

// hasSecret reports whether a Secret is among what is copied.
func (r *Renderer) hasSecret() bool {
	secret := schema.GroupKind{Kind: "Secret"}
	return r.input.Kind == secret || slices.ContainsFunc(r.input.Merge.Layers, func(l mutations.Layer) bool { return l.Kind == secret })
}

// Layers returns the names of the layers that the copy names, as SourceName returns them.
func (s State) Layers() []string {
	layers := layersIn(s.Content)
	if layers == "" || layers == mutations.NoLayers {
		return nil
	}
	return strings.Split(layers, ",")
}

// Named returns the source and the layers that the copy names, as one text: copies with the same text name the same.
func (s State) Named() string {
	_, named, _ := strings.Cut(s.Content, " ")
	return named
}

// Names reports whether the copy names the object as its source, or as one of its layers.
func (s State) Names(object v1.SourceRef) bool {
	return s.IsOf(object) || slices.Contains(s.Layers(), SourceName(object))
}

// SourceName names an object as the annotations of copies name sources.
func SourceName(object v1.SourceRef) string {
	return mutations.SourceName(object.Cluster, object.GroupKind(), types.NamespacedName{Namespace: object.Namespace, Name: object.Name})
}

// MayBeSelected reports whether the name, as SourceName gives it, is that of an object which the selector can match.
func MayBeSelected(selecting v1.SourceRef, name string) bool {
	selecting.Name = ""
	return strings.HasPrefix(name, SourceName(selecting))
}
