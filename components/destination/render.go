package destination

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/mutations"
	"projection.sh/operator/primitives/unstructured/static"
)

// Template is what every copy of one source looks like, but for its namespace and the stamp of its place. It is rendered
// once, and never changes.
type Template struct {
	copied *unstructured.Unstructured
	hash   string
	source v1.SourceRef
	stamp  mutations.Stamp
}

// Render makes the template of a rule's copies from its source. It is pure: the same source and rule give the same
// template, and neither is changed.
func Render(source *unstructured.Unstructured, id owner.Identity, spec owner.Spec, serverVersion string) (*Template, error) {
	baseline := source.DeepCopy()
	baseline.SetName(spec.Name)
	overlay, stamp := spec.Overlay, id.Stamp()
	everywhere := stamp
	everywhere.PlaceKey = "" // each copy has its own
	resource, err := static.NewBuilder(baseline).WithMutation(mutations.ForDestination(mutations.Input{
		Kind:          source.GroupVersionKind().GroupKind(),
		Overlay:       mutations.Overlay{Labels: overlay.Labels, Annotations: overlay.Annotations},
		Stamp:         everywhere,
		ServerVersion: serverVersion,
	})...).Build()
	if err != nil {
		return nil, err
	}
	copied, err := resource.PreviewObject()
	if err != nil {
		return nil, fmt.Errorf("render the copies: %w", err)
	}
	return &Template{copied: copied, hash: mutations.ContentHash(copied), source: spec.Source, stamp: stamp}, nil
}

// Hash returns the content hash that every copy bears.
func (t *Template) Hash() string { return t.hash }

// At returns where the copy in the namespace is.
func (t *Template) At(namespace string) types.NamespacedName {
	return types.NamespacedName{Namespace: namespace, Name: t.copied.GetName()}
}

// Resource returns the copy in the namespace as a static primitive that stamps its place. Its guard blocks a copy that would
// take the place of its source, and one for which withdrawn reports true; withdrawn may be nil. All copies share their
// content with the template: a primitive hands out nothing but copies of its object.
func (t *Template) Resource(namespace string, withdrawn func(namespace string) bool) (*static.Resource, error) {
	content := maps.Clone(t.copied.Object)
	if metadata, ok := content["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		metadata["namespace"] = namespace
		content["metadata"] = metadata
	}
	return static.NewBuilder(&unstructured.Unstructured{Object: content}).
		WithMutation(mutations.ForPlace(t.stamp)...).
		WithGuard(policy.DestinationGuard(t.source, withdrawn)).
		Build()
}
