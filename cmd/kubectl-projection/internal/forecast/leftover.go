package forecast

import (
	"context"
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/clusterprojection"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// leftovers finds out what becomes of copies that are not wanted any more.
type leftovers struct {
	rule   access.Rule
	before *access.Rule
	// branches are what the rule wants of its sources, by the names that copies have for them.
	branches map[string]Branch
	// only is the branch of a rule that names its source.
	only Branch
	// places are those of the copies that are wanted, and stuck the namespaces with the sources of which a copy cannot be written yet.
	places map[types.NamespacedName]bool
	stuck  map[[2]string]bool
	// isDropped reports whether a namespace exists and is no target.
	isDropped func(namespace string) bool
	// whyDropped says why.
	whyDropped func(namespace string) Verdict
	// permits says whether the owners of what is copied permit a copy in a namespace.
	permits func(permission policy.Permission, namespace string) consent
}

func newLeftovers(rule access.Rule, before *access.Rule) *leftovers {
	return &leftovers{
		rule: rule, before: before, branches: map[string]Branch{}, places: map[types.NamespacedName]bool{}, stuck: map[[2]string]bool{},
		isDropped: func(string) bool { return false }, whyDropped: func(string) Verdict { return Verdict{} },
		permits: func(policy.Permission, string) consent { return granted },
	}
}

// add notes what the rule wants of a source.
func (l *leftovers) add(branch Branch) {
	l.branches[branch.Source.source()], l.only = branch, branch
}

// planned notes that a copy is wanted.
func (l *leftovers) planned(change Change) {
	if change.Reason == v1.ReasonDestinationNotPermitted {
		return
	}
	if change.Copy != nil {
		l.places[types.NamespacedName{Namespace: change.Copy.Namespace, Name: change.Copy.Name}] = true
	}
	if change.Action == Refuse || change.Action == Undecided {
		l.stuck[l.stuckKey(change.Namespace, change.Source.source())] = true
	}
}

// stuckKey has no source if the rule names its source, so that any copy in the namespace is replaced by the one that is wanted there.
func (l *leftovers) stuckKey(namespace, source string) [2]string {
	if !l.rule.Spec.Selects() {
		source = ""
	}
	return [2]string{namespace, source}
}

// kinds returns the kinds of which the rule may have copies. That of the copies that are wanted is the first.
func (l *leftovers) kinds() []schema.GroupKind {
	kinds := []schema.GroupKind{l.rule.Spec.KindOfCopies(), l.before.Spec.KindOfCopies()}
	for name := range strings.SplitSeq(l.before.Object.GetAnnotations()[v1.AnnotationWrittenKinds], ",") {
		if kind := schema.ParseGroupKind(strings.TrimSpace(name)); kind.Kind != "" {
			kinds = append(kinds, kind)
		}
	}
	var distinct []schema.GroupKind
	for _, kind := range kinds {
		if !slices.Contains(distinct, kind) {
			distinct = append(distinct, kind)
		}
	}
	return distinct
}

// leftovers calls the function with what becomes of each copy that is not wanted any more.
func (f *Forecaster) leftovers(ctx context.Context, left *leftovers, known *inventory, do func(Change)) error {
	if left.before == nil {
		return nil
	}
	if rule, ok := left.rule.Object.(*v1.ClusterProjection); ok {
		left.isDropped = clusterprojection.NewNamespaces(f.namespaces, f.settings.Excluded, nil, nil).Dropped(ctx, rule)
		left.whyDropped = func(namespace string) Verdict {
			verdict, _ := f.notTarget(ctx, left.rule, namespace, plan.Copies{}) // the namespaces have been read
			return verdict
		}
	}
	left.permits = func(permission policy.Permission, namespace string) consent {
		return f.permits(ctx, permission, namespace)
	}
	for i, kind := range left.kinds() {
		if i > 0 {
			known = &inventory{}
		}
		if err := f.leftoversOf(ctx, left, kind, i > 0, known, do); err != nil {
			return err
		}
	}
	return nil
}

func (f *Forecaster) leftoversOf(
	ctx context.Context, left *leftovers, groupKind schema.GroupKind, isFormer bool, known *inventory, do func(Change),
) error {
	kind, err := f.resolver.ResolveKind(ctx, groupKind)
	if unserved, ok := errors.AsType[*source.KindError](err); ok {
		do(Change{Action: Undecided, Message: "copies of the kind " + groupKind.String() + " are not known: " + unserved.Message})
		return nil
	}
	if err != nil {
		return err
	}
	if err := known.read(ctx, f.cluster, left.rule, kind); err != nil {
		return err
	}
	if known.isHidden {
		do(Change{Action: Undecided, Message: "you may not list " + kind.Resource + ", so that copies which are not wanted any more are not known"})
		return nil
	}
	for at, found := range known.copies {
		if !isFormer && left.places[at] || found.state.Terminating {
			continue
		}
		change := left.end(at, found)
		copied := ObjectOf(groupKind, at)
		change.Namespace, change.Copy = at.Namespace, &copied
		do(change)
	}
	return nil
}

// end returns what becomes of a copy that is not wanted.
func (l *leftovers) end(at types.NamespacedName, found place) Change {
	branch, isSource := l.branches[found.source]
	if !l.rule.Spec.Selects() {
		branch = l.only // what concerns it concerns all copies
	}
	refused := branch.Refused
	switch {
	case refused != nil && refused.State == Unknown:
		return Change{Action: Undecided, Message: refused.Message}
	case refused != nil && refused.keepsCopies:
		return l.uncarried(at.Namespace, found, *refused)
	case l.stuck[l.stuckKey(at.Namespace, found.source)] && l.mergesOthers(found):
		return Change{Action: Delete, Message: "it has content of objects that the rule does not merge any more, and the copy that replaces it cannot be written"}
	case l.stuck[l.stuckKey(at.Namespace, found.source)]:
		return Change{Action: Keep, Message: "it stays until the copy that replaces it is written"}
	case refused != nil && !refused.isAbsence():
		return Change{Action: Delete, Reason: refused.Reason, Message: refused.Message}
	case !isSource && l.rule.Spec.Selects() && found.source != "":
		return l.unselected(found)
	default:
		return l.unwanted(at.Namespace, found, refused)
	}
}

// uncarried is the end of a copy whose rule cannot be carried out.
func (l *leftovers) uncarried(namespace string, found place, refused Verdict) Change {
	if refused.endsDropped && l.isDropped(namespace) {
		return l.unwanted(namespace, found, nil)
	}
	if l.mergesOthers(found) {
		return Change{
			Action: Undecided, Reason: refused.Reason,
			Message: "it has content of objects that the rule does not merge any more: it is deleted, unless another try can write the copies",
		}
	}
	return Change{Action: Keep, Reason: refused.Reason, Message: "nothing is written or deleted until that is corrected"}
}

// unwanted is the end of a copy that another one replaces, or that is not wanted because of its namespace or since its source does not exist.
func (l *leftovers) unwanted(namespace string, found place, missing *Verdict) Change {
	isDropped, consent := l.isDropped(namespace), l.consentTo(found, namespace, missing != nil)
	disposal := func(consents bool) plan.Disposal {
		unwanted := plan.Unwanted{
			Causes: plan.Causes{TargetDropped: isDropped, SourceGone: missing != nil}, HidesLayers: found.state.HidesLayers,
			IsOfRule: func() bool { return l.isOfRule(found) }, Consents: func() bool { return consents },
		}
		return unwanted.Disposal(l.rule.Spec.Policy)
	}
	switch becomes := disposal(consent == granted); {
	case missing == nil && consent == denied:
		return Change{Action: Delete, Reason: v1.ReasonDestinationNotPermitted, Message: "the owner of the source permits no copy in the namespace"}
	case isDropped && l.whyDropped(namespace).State == Unknown:
		return Change{Action: Undecided, Message: l.whyDropped(namespace).Message}
	case consent == hidden && becomes != disposal(true):
		return Change{Action: Undecided, Message: "the rule retains the copy if the owner of the source consents, which is not known"}
	case becomes == plan.RetainIt:
		return Change{Action: Release, Message: l.whyDropped(namespace).Message}
	case becomes == plan.KeepIt:
		return Change{Action: Keep, Reason: missing.Reason, Message: missing.Message}
	default:
		return l.deletion(namespace, missing, isDropped)
	}
}

// deletion is the end of a copy that the rule does not retain.
func (l *leftovers) deletion(namespace string, missing *Verdict, isDropped bool) Change {
	switch {
	case missing != nil:
		return Change{Action: Delete, Reason: missing.Reason, Message: missing.Message}
	case isDropped:
		return Change{Action: Delete, Message: l.whyDropped(namespace).Message}
	default:
		return Change{Action: Delete, Message: "the rule wants no copy of this kind and name in the namespace"}
	}
}

// unselected is the end of a copy of a source that the selector of the rule does not match.
func (l *leftovers) unselected(found place) Change {
	ref := l.rule.Spec.Source
	if destination.MayBeSelected(ref, found.source) && l.rule.Spec.Policy.Retains(v1.RetainSourceGone) {
		return Change{Action: Undecided, Message: "its source is not selected: the copy stays if the owner of the source still consents"}
	}
	return Change{Action: Delete, Message: "its source is not selected"}
}
