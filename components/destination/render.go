package destination

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/expressions"
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
	named     named  // what the annotations of all copies name
	cluster   string // of the copies; empty: that of the rule
	source    v1.SourceRef
	layers    []v1.LayerSpec
	sourceUID types.UID
	notCopied *notCopied
	fields    int // how many the rule may set
	// kept is the content that is wanted of copies that only have to exist, and keptLonger that of copies that outlive their source.
	kept, keptLonger string
	mutations        []unstructuredkit.Mutation
	// input is what the copies depend on besides the source.
	input mutations.Input
	// values are those of fields that can be different for each target; nil: all copies have the same content.
	values *values
	// complete returns, for the same copies, the renderer whose template has the values of fields that all copies share; nil: the template
	// has all.
	complete func() (*Renderer, error)
	// light reports whether the renderer holds no content.
	light bool
	// saysSource reports whether a copy is in sync only if it names its source, and the rule says so.
	saysSource bool
}

// Rendering is what a renderer may have besides what the copies depend on.
type Rendering struct {
	// Known are the hashes that are remembered of the rule's copies, and KnownNames their names; nil: nothing is remembered.
	Known, KnownNames *TargetTexts
	// Layers are the layers that are merged with the source, in their order.
	Layers []*unstructured.Unstructured
	// Timing says what evaluations take.
	Timing expressions.Timing
}

// Render returns the renderer of a rule's copies. It is pure: the same source and spec give the same copies, and neither is changed.
func Render(source *unstructured.Unstructured, id owner.Identity, spec owner.Spec, serverVersion string) (*Renderer, error) {
	return Rendering{}.Render(source, id, spec, serverVersion)
}

// Render is the function of that name.
func (with Rendering) Render(source *unstructured.Unstructured, id owner.Identity, spec owner.Spec, serverVersion string) (*Renderer, error) {
	named, uid := types.NamespacedName{Namespace: source.GetNamespace(), Name: source.GetName()}, source.GetUID()
	if spec.MergesSelected() { // which of them is the first one may change
		named.Name, uid = spec.Source.Name, ""
	}
	in := spec.Source.Cluster
	if id.Kind.Hub != "" { // a copy does not tell another cluster what there is in this one
		named, in = nameElsewhere(spec), ""
	}
	r := &Renderer{saysSource: spec.SaysSource(), cluster: id.Kind.Cluster, source: spec.Source, layers: spec.Merge.Layers, sourceUID: uid, input: mutations.Input{
		Kind:          source.GroupVersionKind().GroupKind(),
		Overlay:       mutations.Overlay{Labels: spec.Overlay.Labels, Annotations: spec.Overlay.Annotations},
		Stamp:         id.Stamp(),
		Source:        named,
		SourceCluster: in,
		SourceUID:     uid,
		ServerVersion: serverVersion,
		Content:       inputOf(spec.Content),
		CopyKind:      spec.CopyKind,
		OptOut:        policy.IsLimited(source.GetAnnotations()),
	}}
	if err := r.addLayers(with.Layers, spec); err != nil {
		return nil, err
	}
	if err := r.renderTemplate(source, spec.Name); err != nil {
		return nil, err
	}
	if err := r.setFields(source, id.Key().Namespace, spec, with); err != nil {
		return nil, err
	}
	var err error
	r.notCopied, err = newNotCopied(spec.Content.Fields, source.GroupVersionKind().GroupKind(), spec.CopyKind != "", source.Object)
	r.fields = len(spec.Overlay.Fields)
	wanted := keptOf(id, r.template, uid)
	wanted.saysSource = r.saysSource
	outliving := wanted
	outliving.sourceUID = ""
	r.kept, r.keptLonger = wanted.String(), outliving.String()
	return r, err
}

// renderTemplate renders what all copies share.
func (r *Renderer) renderTemplate(source *unstructured.Unstructured, name string) error {
	baseline := source.DeepCopy()
	baseline.SetName(name)
	shared, perTarget := split(mutations.ForDestination(r.input), mutations.ForPlace(r.input.Stamp))
	resource, err := static.NewBuilder(baseline).WithMutation(shared...).Build()
	if err != nil {
		return err
	}
	if r.template, err = resource.PreviewObject(); err != nil {
		return fmt.Errorf("render the copies: %w", err)
	}
	r.hash, r.named, r.mutations = mutations.ContentHash(r.template), namedIn(r.template.GetAnnotations()), perTarget
	return nil
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

// Content is what all copies have in common of what decides whether their content is in sync.
func (r *Renderer) Content() string { return r.hash }

// Target is where a copy is to be, and what else it may depend on besides its source and its rule.
type Target struct {
	Namespace string
	// Name is the name of the copy; empty: that of the rule's copies, which have one name.
	Name string
	// Version is the resourceVersion of the namespace. If it is empty, nothing is remembered of the target.
	Version string
	// Labels and Annotations are those of the namespace.
	Labels, Annotations map[string]string
}

// DesiredCopy is the copy that a rule wants at a place.
type DesiredCopy struct {
	At types.NamespacedName
	// Hash is the content hash that the copy bears.
	Hash string
	// Content is what decides whether the content of a copy is in sync, as in State.
	Content string
	// Rendered is the content that a new copy gets.
	Rendered string
	// Before is the content that the copy was to have before its namespace was changed, if nothing else has changed since; empty: none is known.
	Before string

	renderer *Renderer
	target   Target
}

// Copy returns the copy of a target. An error concerns this target only; At is set even then.
func (r *Renderer) Copy(target Target) (DesiredCopy, error) {
	desired := DesiredCopy{
		At:   types.NamespacedName{Namespace: target.Namespace, Name: cmp.Or(target.Name, r.template.GetName())},
		Hash: r.hash, renderer: r, target: target,
	}
	if target.Namespace == "" {
		return desired, errors.New("a copy needs a namespace")
	}
	var err error
	if r.values != nil {
		desired.Hash, err = r.hashOf(target)
	}
	desired.Content = r.named.contentWith(desired.Hash)
	desired.Rendered = desired.Content
	if r.saysSource {
		desired.Content = exactContent + desired.Content
	}
	if before := r.hashBefore(target.Namespace); before != "" {
		desired.Before = r.named.contentWith(before)
	}
	return desired, err
}

// OnlyToExist returns the copy as one that only has to exist: the rule creates it, and leaves its content as it is. A copy of another source is
// written all the same: the rule asks the owner of that source no more. So is one that was written from an earlier source of the same name, unless
// copies outlive their source.
//
// Example: a rule creates a copy of a/x, and is edited to name b/x. Then the owner of a/x opts out.
func (c DesiredCopy) OnlyToExist(outlivesSource bool) DesiredCopy {
	c.Content = c.renderer.kept
	if outlivesSource {
		c.Content = c.renderer.keptLonger
	}
	return c
}

// OptsOut reports whether the copy says that it is not to be copied further.
func (c DesiredCopy) OptsOut() bool { return c.renderer.input.OptOut }

// IsOnlyToExist reports whether the copy only has to exist.
func (c DesiredCopy) IsOnlyToExist() bool { return isAnyContent(c.Content) }

// Resource returns the copy as a static primitive. Its guard blocks a copy that would take the place of its source, and one for
// which withdrawn reports true; withdrawn may be nil. All copies share their content: a primitive hands out nothing but copies of
// its object.
func (c DesiredCopy) Resource(withdrawn func(namespace string) bool) (*static.Resource, error) {
	rendered, err := c.render()
	if err != nil {
		return nil, err
	}
	return rendered.resource(c, withdrawn)
}

// resource returns the copy as a static primitive.
func (r rendered) resource(c DesiredCopy, withdrawn func(namespace string) bool) (*static.Resource, error) {
	content := maps.Clone(r.template.Object)
	if metadata, ok := content["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		metadata["namespace"], metadata["name"] = c.At.Namespace, c.At.Name
		content["metadata"] = metadata
	}
	return static.NewBuilder(&unstructured.Unstructured{Object: content}).
		WithMutation(r.mutations...).
		WithGuard(policy.DestinationGuard(c.renderer.cluster, c.renderer.source, c.renderer.layers, withdrawn)).
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
