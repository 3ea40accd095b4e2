package forecast

import (
	"cmp"
	"context"
	"iter"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/source"
)

// Goal is the content that the copies of a rule are to have.
type Goal struct {
	// Wanted is how many copies there are to be.
	Wanted int
	// Problem is what keeps the rule from being carried out for a source, or what of it is unknown; nil: nothing.
	Problem *Verdict

	contents map[types.NamespacedName]content
	// kind is that of the copies.
	kind source.Kind
	// refused is the first source that is not copied.
	refused *Verdict
}

// content is what a copy is to have.
type content struct {
	desired destination.DesiredCopy
	// spec is what the rule asks for of the source.
	spec *owner.Spec
}

// Goal returns the content that the copies of the rule are to have.
func (f *Forecaster) Goal(ctx context.Context, rule access.Rule) (Goal, error) {
	goal := Goal{contents: map[types.NamespacedName]content{}}
	specs, err := f.Sources(ctx, rule)
	if failed, problem := problemOf(err); problem {
		goal.Problem = &failed
		return goal, nil
	}
	if err != nil {
		return Goal{}, err
	}
	for _, spec := range specs {
		if err := f.addGoal(ctx, rule, spec, &goal); err != nil {
			return Goal{}, err
		}
	}
	if goal.Wanted == 0 && goal.Problem == nil {
		goal.Problem = goal.refused
	}
	return goal, nil
}

func (f *Forecaster) addGoal(ctx context.Context, rule access.Rule, spec owner.Spec, goal *Goal) error {
	wanted, failed, err := f.want(ctx, rule, spec)
	switch {
	case err != nil:
		return err
	case failed != nil && failed.State == Refused && !failed.keepsCopies && rule.Spec.Selects():
		goal.refused = cmp.Or(goal.refused, failed)
		return nil // the copies of the other sources are wanted
	case failed != nil && failed.State == NotTarget:
		return nil // nothing is selected
	case failed != nil:
		if goal.Problem == nil || goal.Problem.State != Unknown {
			goal.Problem = failed
		}
		return nil
	}
	kind, err := f.CopyKind(ctx, spec, wanted.Kind)
	if err != nil {
		return err
	}
	asked := wanted.Spec
	goal.kind = kind
	goal.Wanted += len(wanted.Targets)
	for _, target := range wanted.Targets {
		if desired, blocked := f.desire(spec, kind, target); blocked == nil {
			goal.contents[desired.At] = content{desired, &asked}
		}
	}
	return nil
}

// Copies returns the kind of the copies of the rule, as the API server serves it.
func (f *Forecaster) Copies(ctx context.Context, rule access.Rule) (schema.GroupVersionResource, error) {
	kind, err := f.resolver.ResolveKind(ctx, rule.Spec.KindOfCopies())
	return kind.GroupVersionResource(), err
}

// Copied is what of a copy decides whether it has the content that it is to have.
type Copied struct {
	at    types.NamespacedName
	state destination.State
}

// CopiedOf returns what the metadata of a copy of the rule say.
func CopiedOf(rule access.Rule, object *metav1.PartialObjectMetadata) (at types.NamespacedName, copied Copied, isCopy bool) {
	at = types.NamespacedName{Namespace: object.Namespace, Name: object.Name}
	return at, Copied{at, destination.StateOf(rule.Kind, object)}, rule.Owns(object)
}

// Has reports whether the copy has the content that it is to have.
func (g Goal) Has(copied Copied) bool {
	wanted, isWanted := g.contents[copied.at]
	return isWanted && !copied.state.Terminating && wanted.desired.HasIn(copied.state)
}

// Places are those of the copies.
func (g Goal) Places() iter.Seq[types.NamespacedName] { return maps.Keys(g.contents) }

// LeftAlone returns in how many of the places is an object that the rule leaves alone, as spec.policy.onConflict says.
func (f *Forecaster) LeftAlone(ctx context.Context, rule access.Rule, goal Goal, places []types.NamespacedName) (count int, err error) {
	known := &inventory{looksAtAll: true}
	if err := known.look(ctx, f.cluster, rule, goal.kind, places); err != nil {
		return 0, err
	}
	for _, at := range places {
		spec := *goal.contents[at].spec
		found := known.looked[at].of(spec, ObjectOf(goal.kind.GroupKind(), at))
		if found.exists && !found.isOwned && onForeign(spec, found) == Skip {
			count++
		}
	}
	return count, nil
}
