package plan

import (
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// Planner makes the plans of rules of one kind. It is safe for concurrent use.
type Planner[O owner.Object] struct {
	// Kind is the kind of the rules.
	Kind owner.RuleKind
	// Spec returns what a rule asks for.
	Spec func(O) owner.Spec
	// Targets returns where a rule is to have copies, sorted by namespace. An error says that it is not known.
	Targets func(context.Context, O) ([]Target, error)
	// NamespaceLabels returns the labels of a namespace, and whether the namespace is known. It is asked if the owner of a source permits
	// copies only in some namespaces.
	NamespaceLabels func(ctx context.Context, name string) (labels map[string]string, known bool, err error)
	// Resolver finds the kinds of copies, and of sources unless From says otherwise.
	Resolver *source.Resolver
	// HubID is the identity of the cluster of the rules, as the owners of sources in other clusters know it.
	HubID string
	// Mode says what a source means that has no annotation of consent.
	Mode policy.Mode
	// RequireAccount reports whether rules need a service account.
	RequireAccount bool
	// ServerVersion returns the version of the API server that the copies are written to, such as v1.36.3.
	ServerVersion func() string
	// List lists what the selectors of a rule select that merges it. Only Make needs it.
	List List
	// Requeue is when to look again at a rule that waits for something without events.
	Requeue time.Duration

	elsewhere   *source.Resolver // of the cluster of the source, if that is another one
	destination string           // the identity of the cluster of the copies, if it is not the one of the rules
}

// Into returns the planner of rules whose copies are in the cluster with that identity, as the owners of sources know it.
func (p *Planner[O]) Into(cluster string) *Planner[O] {
	into := *p
	into.destination = cluster
	return &into
}

// From returns the planner of rules whose source is in the cluster behind the resolver.
func (p *Planner[O]) From(cluster *source.Resolver) *Planner[O] {
	from := *p
	from.elsewhere = cluster
	return &from
}

// sources returns the resolver of the cluster of the source.
func (p *Planner[O]) sources() *source.Resolver {
	if p.elsewhere != nil {
		return p.elsewhere
	}
	return p.Resolver
}

// Target is a namespace that is to have a copy.
type Target struct {
	Namespace string
	// Name is the name of the copy. It is set by Render. It is empty if the namespace is not known, or does not exist, and the name depends on it, if
	// the owner of the source permits no copy there and an expression would give the name, and if Unnamed says why no name results.
	Name string
	// Unnamed is a destination.RenderError if the expression for the name gives none; nil: it was not asked, or gives one.
	Unnamed error
	// Renderer renders the copy. It is set by Render.
	Renderer *destination.Renderer
	// Source is the number of the source, from 0, of a rule that selects several.
	Source int
	// Blocked says why the namespace cannot have its copy now; empty: it can. The event that unblocks it enqueues the rule.
	Blocked string
	// NotPermitted says why the owner of the source does not permit a copy there; empty: the owner does. A copy that is there is deleted.
	NotPermitted string
	// Selected reports whether the rule selects the namespace by its labels, and does not name it.
	Selected bool
	// Version is the resourceVersion of the namespace; empty if it is not known.
	Version string
	// Labels and Annotations are those of the namespace. They must not be changed.
	Labels, Annotations map[string]string
}

// Read reads a source in the name of the rule's user. It returns source.ErrNotFound if, and only if, the source does not exist, and
// an UnreadError if its content was not read in the name of the service account.
type Read func(ctx context.Context, kind source.Kind, ref v1.SourceRef) (*unstructured.Unstructured, error)

// Plan is what a rule wants.
type Plan struct {
	// Kind is the kind of the source.
	Kind source.Kind
	// Problem says why the rule wants no copy; zero: it wants some. That nothing is selected to be merged is no failure of the rule.
	Problem policy.Problem
	// Spec is what the rule asks for, with the objects that its selectors select among the layers. It is set if there is no problem.
	Spec owner.Spec
	// Permission is where the owners of all that is copied permit copies. It is set if there is no problem.
	Permission policy.Permission
	// Merged is how many objects are merged with the source, or because the rule selects them.
	Merged int
	// LeftOut reports whether an object is left out that would be merged in permissive mode. It is set although the rule cannot be carried out.
	LeftOut bool
	Copies
}

// Copies are the copies that a rule wants.
type Copies struct {
	// Targets are where they are to be, sorted by namespace.
	Targets []Target
	// Skipped is how many namespaces are no targets although the rule selects them, since the owner of the source does not permit them.
	Skipped int
	// Refusal says why these are not permitted; empty: there are none.
	Refusal string
	// Itself is the namespace of the source if the rule selects it, and the expression for the name gives that of the source there: it is no
	// target. Otherwise empty.
	Itself string
}

// ReadSource reads a source of the rule: the one that the spec names. The problem says that it does not exist. If its content may not be read, the
// problem says what the metadata says: an opt-out holds whatever the service account of the rule may read.
func (p *Planner[O]) ReadSource(
	ctx context.Context, rule O, spec owner.Spec, kind source.Kind, read Read,
) (*unstructured.Unstructured, policy.Problem, error) {
	object, err := read(ctx, kind, spec.Source)
	unread, notRead := errors.AsType[*UnreadError](err)
	_, known := errors.AsType[*Error](err)
	switch {
	case err == nil:
		return object, policy.Problem{}, nil
	case notRead && unread.Metadata == nil:
		if apierrors.IsNotFound(unread.Unknown) { // the kind, not the object
			p.sources().DefinitionsChanged(kind.Group)
		}
		return nil, policy.Problem{}, unreadable(spec, kind, unread)
	case notRead:
		if problem := p.CheckConsent(spec, unread.Metadata); !problem.IsZero() {
			return nil, problem, nil
		}
		return nil, policy.Problem{}, unreadable(spec, kind, unread)
	case known, errors.Is(err, ErrNotRead):
		return nil, policy.Problem{}, err
	case errors.Is(err, source.ErrNotFound):
		return nil, missing(rule, spec, kind), nil
	case apierrors.IsNotFound(err): // the kind, not the object
		p.sources().DefinitionsChanged(kind.Group)
	}
	return nil, policy.Problem{}, Unreadable(kind, spec.Source, err)
}

// missing is the problem of a rule whose source does not exist. Whether there ever was a copy matters for the words only:
// copies are deleted either way.
func missing(rule owner.Object, spec owner.Spec, kind source.Kind) policy.Problem {
	name := kind.NameOf(spec.Source)
	if rule.GetCommonStatus().AppliedFields != "" {
		return policy.Problem{Reason: v1.ReasonSourceDeleted, Message: name + " was deleted", Advice: "create it again to restore the copies, or delete this rule"}
	}
	return policy.Problem{Reason: v1.ReasonSourceNotFound, Message: "there is no " + name, Copies: "the copies appear when it does"}
}

// Render returns the copies that the rule wants of the source that the spec names, in namespaces that the owner of the source permits.
func (p *Planner[O]) Render(
	ctx context.Context, rule O, spec owner.Spec, kind source.Kind, object *unstructured.Unstructured, permission policy.Permission,
	with destination.Rendering,
) (Copies, error) {
	targets, err := p.ResolveTargets(ctx, rule)
	if err != nil {
		return Copies{}, err
	}
	renderer, err := p.RenderSource(rule, spec, kind, object, with)
	if err != nil {
		return Copies{}, err
	}
	copies, err := p.Place(ctx, withoutLayers(spec, targets), renderer, permission)
	if err != nil {
		return Copies{}, err
	}
	if err := copies.name(p.Kind.Cluster, rule.GetNamespace(), spec, object, with); err != nil {
		return Copies{}, unrendered(kind, spec, err)
	}
	return copies, nil
}

// withoutLayers leaves out the targets that the rule selects where the copy would take the place of a layer. If an expression names the copies, they fail
// there.
func withoutLayers(spec owner.Spec, targets []Target) []Target {
	namespaces := sets.New[string]()
	for _, layer := range spec.Merge.Layers {
		if spec.NameExpression == "" && layer.Source.GroupKind() == spec.KindOfCopies() && layer.Source.Name == spec.Name {
			namespaces.Insert(layer.Source.Namespace)
		}
	}
	if len(namespaces) == 0 {
		return targets
	}
	return slices.DeleteFunc(slices.Clone(targets), func(target Target) bool { return target.Selected && namespaces.Has(target.Namespace) })
}

// ResolveTargets returns where the rule is to have copies. Any error is an Error.
func (p *Planner[O]) ResolveTargets(ctx context.Context, rule O) ([]Target, error) {
	targets, err := p.Targets(ctx, rule)
	if err != nil {
		return nil, unresolvedTargets(err)
	}
	return targets, nil
}

// RenderSource returns the renderer of the copies of a source. Any error is an Error.
func (p *Planner[O]) RenderSource(
	rule O, spec owner.Spec, kind source.Kind, object *unstructured.Unstructured, with destination.Rendering,
) (*destination.Renderer, error) {
	renderer, err := with.Render(object, owner.IdentityOf(p.Kind, rule), spec, p.ServerVersion())
	if err != nil {
		return nil, unrendered(kind, spec, err)
	}
	return renderer, nil
}

// Place returns the copies of a source in those of the targets that its owner permits. Any error is an Error.
func (p *Planner[O]) Place(ctx context.Context, targets []Target, renderer *destination.Renderer, permission policy.Permission) (Copies, error) {
	copies, err := p.permit(ctx, targets, permission)
	if err != nil {
		return Copies{}, unresolvedTargets(err)
	}
	copies.Targets = slices.Clone(copies.Targets)
	for i := range copies.Targets {
		copies.Targets[i].Renderer = renderer
	}
	return copies, nil
}
