package cli

import (
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
	"projection.sh/operator/components/owner"
)

// owners finds out which rules own the objects of a namespace, and what they want there. It asks once for each rule.
type owners struct {
	inquiry

	forecaster *forecast.Forecaster
	rules      map[owned]*ruleHere
}

// ruleHere is a rule, or why it cannot be read, with what it wants in the namespace once that was asked for.
type ruleHere struct {
	rule     access.Rule
	err      error
	isAsked  bool
	verdicts []forecast.Verdict
}

// owners returns what finds out which rules own objects. Some rules may be known already.
func (i inquiry) owners(ctx context.Context, known []access.Rule) *owners {
	o := &owners{inquiry: i, forecaster: i.forecaster(ctx, i.namespace), rules: map[owned]*ruleHere{}}
	for _, rule := range known {
		o.rules[owned{rule.Kind, rule.Key()}] = &ruleHere{rule: rule}
	}
	return o
}

// addTo adds what the marks of the object say of its rule.
func (o *owners) addTo(ctx context.Context, found *objectReport, object *metav1.PartialObjectMetadata) error {
	kinds := []owner.RuleKind{owner.Projection, owner.ClusterProjection}
	switch {
	case owner.IsAmbiguous(object):
		found.State = isAmbiguous
		return nil
	case owner.IsElsewhere(object):
		found.State = isElsewhere
		return nil
	}
	for _, kind := range kinds { // the object may have the label of a rule of the other kind, from which it was released before
		if name, isOwned := kind.OwnerOf(object); isOwned {
			return o.addRule(ctx, found, object, owned{kind, name})
		}
	}
	if remote := object.Annotations[v1.AnnotationOwnedByRemote]; remote != "" {
		found.State, found.Remote = isRemote, remote
		return nil
	}
	if slices.ContainsFunc(kinds, func(kind owner.RuleKind) bool { return isReleasedBy(kind, object) }) {
		found.State = isReleased
	}
	return nil
}

// addRule adds what the copy says of its rule, and what the rule wants of it.
func (o *owners) addRule(ctx context.Context, found *objectReport, object *metav1.PartialObjectMetadata, by owned) error {
	found.State = isCopy
	found.Source, found.Layers = parseSource(object.Annotations[v1.AnnotationSource]), layersOf(object)
	id := owner.Identity{Kind: by.kind, Namespace: by.rule.Namespace, Name: by.rule.Name}
	found.Written, found.OtherWriters = writersOf(object, id)
	info := unreadable(by.kind, by.rule.Namespace, by.rule.Name)
	found.Rule = &info
	if !objectname.IsValid(by.rule.Name) { // no rule has such a name
		found.Orphan = true
		return nil
	}
	here := o.read(ctx, by)
	switch err := here.err; {
	case access.IsUnknown(err):
		found.Verdict = &forecast.Verdict{State: forecast.Unknown, Message: "you may not read the " + info.String()}
		return nil
	case apierrors.IsNotFound(err), errors.Is(err, access.ErrNotInstalled):
		found.Orphan = true
		return nil
	case err != nil:
		return err
	}
	info = infoOf(here.rule, o.settings)
	if err := here.ask(ctx, o.forecaster, o.namespace); err != nil {
		return err
	}
	found.Verdict = new(forecast.VerdictAt(here.rule, here.verdicts, found.Object))
	return nil
}

// read returns the rule, which is read if it is not known yet.
func (o *owners) read(ctx context.Context, by owned) *ruleHere {
	here := o.rules[by]
	if here == nil {
		here = &ruleHere{}
		here.rule, here.err = o.cluster.Rule(ctx, by.kind, by.rule.Namespace, by.rule.Name)
		o.rules[by] = here
	}
	return here
}

// ask finds out what the rule wants in the namespace.
func (r *ruleHere) ask(ctx context.Context, forecaster *forecast.Forecaster, namespace string) (err error) {
	if !r.isAsked {
		r.verdicts, err = forecaster.In(ctx, r.rule, namespace)
		r.isAsked = err == nil
	}
	return err
}
