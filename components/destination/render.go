package destination

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/mutations"
	unstructuredkit "projection.sh/operator/primitives/unstructured"
	"projection.sh/operator/primitives/unstructured/static"
)

// Renderer makes the copies of one source. It has applied the mutations that are the same for every target, and never changes.
type Renderer struct {
	template  *unstructured.Unstructured
	hash      string
	content   string
	source    v1.SourceRef
	sourceUID types.UID
	notCopied *notCopied
	mutations []unstructuredkit.Mutation
}

// Render returns the renderer of a rule's copies. It is pure: the same source and spec give the same copies, and neither is changed.
func Render(source *unstructured.Unstructured, id owner.Identity, spec owner.Spec, serverVersion string) (*Renderer, error) {
	baseline := source.DeepCopy()
	baseline.SetName(spec.Name)
	all := mutations.ForDestination(mutations.Input{
		Kind:          source.GroupVersionKind().GroupKind(),
		Overlay:       mutations.Overlay{Labels: spec.Overlay.Labels, Annotations: spec.Overlay.Annotations},
		Stamp:         id.Stamp(),
		Source:        types.NamespacedName{Namespace: source.GetNamespace(), Name: source.GetName()},
		SourceUID:     source.GetUID(),
		ServerVersion: serverVersion,
		Content:       inputOf(spec.Content),
		CopyKind:      spec.CopyKind,
		OptOut:        policy.IsLimited(source.GetAnnotations()),
	})
	shared, perTarget := split(all, mutations.ForPlace(id.Stamp()))
	resource, err := static.NewBuilder(baseline).WithMutation(shared...).Build()
	if err != nil {
		return nil, err
	}
	template, err := resource.PreviewObject()
	if err != nil {
		return nil, fmt.Errorf("render the copies: %w", err)
	}
	notCopied, err := newNotCopied(spec.Content.Fields, source.GroupVersionKind().GroupKind(), spec.CopyKind != "", source.Object)
	if err != nil {
		return nil, err
	}
	return &Renderer{
		template: template, notCopied: notCopied, hash: mutations.ContentHash(template), content: contentOf(template.GetAnnotations()),
		source: spec.Source, sourceUID: source.GetUID(), mutations: perTarget,
	}, nil
}

// split returns the mutations that make the template, and those that make a copy from the template: all of them, by their names and
// gates. Of these, the ones that do not depend on the target change nothing. The template is their result, and each is idempotent.
func split(all, ofTarget []unstructuredkit.Mutation) (shared, perTarget []unstructuredkit.Mutation) {
	perTarget = slices.Clone(all)
	for i, mutation := range all {
		if !slices.ContainsFunc(ofTarget, func(m unstructuredkit.Mutation) bool { return m.Name == mutation.Name }) {
			shared = append(shared, mutation)
			perTarget[i].Mutate = func(*unstructuredkit.Mutator) error { return nil }
		}
	}
	return shared, perTarget
}

// Target is where a copy is to be, and what else it may depend on besides its source and its rule.
type Target struct {
	Namespace string
}

// DesiredCopy is the copy that a rule wants at a place.
type DesiredCopy struct {
	At types.NamespacedName
	// Hash is the content hash that the copy bears.
	Hash string
	// Content is what decides whether the content of a copy is in sync, as in State.
	Content string

	renderer *Renderer
}

// Copy returns the copy of a target. An error concerns this target only; At is set even then.
func (r *Renderer) Copy(target Target) (DesiredCopy, error) {
	desired := DesiredCopy{
		At:   types.NamespacedName{Namespace: target.Namespace, Name: r.template.GetName()},
		Hash: r.hash, Content: r.content, renderer: r,
	}
	if target.Namespace == "" {
		return desired, errors.New("a copy needs a namespace")
	}
	return desired, nil
}

// Resource returns the copy as a static primitive. Its guard blocks a copy that would take the place of its source, and one for
// which withdrawn reports true; withdrawn may be nil. All copies share their content: a primitive hands out nothing but copies of
// its object.
func (c DesiredCopy) Resource(withdrawn func(namespace string) bool) (*static.Resource, error) {
	content := maps.Clone(c.renderer.template.Object)
	if metadata, ok := content["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		metadata["namespace"] = c.At.Namespace
		content["metadata"] = metadata
	}
	return static.NewBuilder(&unstructured.Unstructured{Object: content}).
		WithMutation(c.renderer.mutations...).
		WithGuard(policy.DestinationGuard(c.renderer.source, withdrawn)).
		Build()
}

// FiringSet returns the names of the mutations that fire for the copy, in their order.
func (c DesiredCopy) FiringSet() ([]string, error) {
	resource, err := c.Resource(nil)
	if err != nil {
		return nil, err
	}
	return resource.FiringSet()
}
