package destination

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/mutations"
	kit "projection.sh/operator/primitives/unstructured"
	"projection.sh/operator/primitives/unstructured/static"
)

// Template is what every copy of one source looks like, but for its namespace.
type Template struct {
	baseline  *unstructured.Unstructured
	mutations []kit.Mutation
	source    v1.SourceRef
	hash      string
}

// Render makes the template of a rule's copies from its source. It is pure: the same source and rule give the same
// template, and neither is changed.
func Render(source *unstructured.Unstructured, id owner.Identity, rule owner.Object, serverVersion string) (*Template, error) {
	baseline := source.DeepCopy()
	baseline.SetName(rule.GetDestinationName())
	overlay := rule.GetOverlay()
	template := &Template{
		baseline: baseline,
		source:   rule.GetSource(),
		mutations: mutations.ForDestination(mutations.Input{
			Kind:          source.GroupVersionKind().GroupKind(),
			Overlay:       mutations.Overlay{Labels: overlay.Labels, Annotations: overlay.Annotations},
			Stamp:         id.Stamp(),
			ServerVersion: serverVersion,
		}),
	}
	resource, err := template.Resource(source.GetNamespace())
	if err != nil {
		return nil, err
	}
	preview, err := resource.PreviewObject()
	if err != nil {
		return nil, fmt.Errorf("render the copies: %w", err)
	}
	template.hash = mutations.ContentHash(preview)
	return template, nil
}

// Hash returns the content hash that every copy bears.
func (t *Template) Hash() string { return t.hash }

// At returns where the copy in the namespace is.
func (t *Template) At(namespace string) types.NamespacedName {
	return types.NamespacedName{Namespace: namespace, Name: t.baseline.GetName()}
}

// Resource returns the copy in the namespace as a static primitive, guarded against taking the place of its source.
func (t *Template) Resource(namespace string) (*static.Resource, error) {
	baseline := t.baseline.DeepCopy()
	baseline.SetNamespace(namespace)
	return static.NewBuilder(baseline).
		WithMutation(t.mutations...).
		WithGuard(policy.NotTheSource(t.source)).
		Build()
}
