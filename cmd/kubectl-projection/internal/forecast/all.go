package forecast

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/source"
)

// maxLooks is how many places without a copy are looked at one by one.
const maxLooks = 100

// Branch is what a rule wants of one of its sources, and what is there.
type Branch struct {
	Source Object `json:"source"`
	// Refused is what keeps the rule from copying the source, or what of it is unknown; nil: nothing.
	Refused *Verdict `json:"refused,omitempty"`
	// Copies has a verdict for each copy that is wanted, in the order of namespaces.
	Copies []Verdict `json:"copies"`
	// Skipped is how many namespaces are no targets since the owner of the source permits no copy there.
	Skipped int `json:"skipped,omitempty"`
}

// All returns what the rule wants of each of its sources, in the order of their names. An error of the rule is a branch.
func (f *Forecaster) All(ctx context.Context, rule access.Rule) ([]Branch, error) {
	specs, err := f.Sources(ctx, rule)
	if failed, problem := problemOf(err); problem {
		return []Branch{{Source: SourceOf(rule.Spec.Source), Refused: &failed}}, nil
	}
	if err != nil {
		return nil, err
	}
	var branches []Branch
	known := &inventory{}
	for _, spec := range specs {
		branch, err := f.branch(ctx, rule, spec, known)
		if err != nil {
			return nil, err
		}
		branches = append(branches, branch)
	}
	return branches, nil
}

func (f *Forecaster) branch(ctx context.Context, rule access.Rule, spec owner.Spec, known *inventory) (Branch, error) {
	branch := Branch{Source: SourceOf(spec.Source)}
	wanted, failed, err := f.want(ctx, rule, spec)
	if err != nil || failed != nil {
		branch.Refused = failed
		return branch, err
	}
	kind, err := f.CopyKind(ctx, spec, wanted.Kind)
	if err != nil {
		return Branch{}, err
	}
	if err := known.read(ctx, f.cluster, rule, kind); err != nil {
		return Branch{}, err
	}
	branch.Skipped = wanted.Skipped
	for _, target := range wanted.Targets {
		verdict, err := f.compare(ctx, rule, spec, kind, target, known)
		if err != nil {
			return Branch{}, err
		}
		verdict.Source, verdict.Namespace = branch.Source, target.Namespace
		branch.Copies = append(branch.Copies, verdict)
	}
	return branch, nil
}

// compare compares what is wanted in a target with what is known of the place, or with what is there if nothing is known.
func (f *Forecaster) compare(
	ctx context.Context, rule access.Rule, spec owner.Spec, kind source.Kind, target plan.Target, known *inventory,
) (Verdict, error) {
	desired, blocked := f.desire(kind, target)
	if blocked != nil {
		return *blocked, nil
	}
	at := ObjectOf(kind.GroupKind(), desired.At)
	if found, isKnown := known.copies[desired.At]; isKnown {
		verdict := compareCopy(rule, spec, desired, found)
		verdict.Copy = &at
		return verdict, nil
	}
	if known.looks++; known.looks > maxLooks {
		verdict := unknown(known.why())
		verdict.Copy = &at
		return verdict, nil
	}
	verdict, err := f.look(ctx, rule, spec, kind, desired)
	verdict = f.doubt(verdict, target)
	verdict.Copy = &at
	return verdict, err
}

// desire returns the copy that is wanted in a target, or what keeps the target from having it.
func (f *Forecaster) desire(kind source.Kind, target plan.Target) (destination.DesiredCopy, *Verdict) {
	if blocked := blockedBy(target); blocked != nil {
		return destination.DesiredCopy{}, blocked
	}
	desired, err := target.Renderer.Copy(target.Place())
	if err != nil {
		at := ObjectOf(kind.GroupKind(), desired.At)
		blocked := unrendered(err)
		blocked.Copy = &at
		return desired, &blocked
	}
	return desired, nil
}

// inventory has what is known of the copies of a rule.
type inventory struct {
	isRead, isHidden bool
	copies           map[types.NamespacedName]place
	looks            int
}

// read lists the copies of the rule by their label. If the caller may not list them, none is known.
func (i *inventory) read(ctx context.Context, cluster *access.Cluster, rule access.Rule, kind source.Kind) error {
	if i.isRead {
		return nil
	}
	i.isRead, i.copies = true, map[types.NamespacedName]place{}
	options := metav1.ListOptions{LabelSelector: rule.Kind.Label + "=" + string(rule.UID)}
	err := cluster.EachMetadata(ctx, kind.GroupVersionResource(), rule.Namespace, options, func(object *metav1.PartialObjectMetadata) error {
		if rule.Owns(object) {
			i.copies[types.NamespacedName{Namespace: object.Namespace, Name: object.Name}] = placeOf(rule, object)
		}
		return nil
	})
	if i.isHidden = access.IsUnknown(err); i.isHidden {
		return nil
	}
	return err
}

// why says why nothing is known of a place.
func (i *inventory) why() string {
	if i.isHidden {
		return "you may not list the copies, and this place was not looked at"
	}
	return "no copy is known, and what is in its place was not looked at"
}

// Count returns how many of the copies have the state.
func (b Branch) Count(state State) (count int) {
	for _, verdict := range b.Copies {
		if verdict.State == state {
			count++
		}
	}
	return count
}

// Troubled returns the copies that are not as the rule wants them.
func (b Branch) Troubled() []Verdict {
	return slices.DeleteFunc(slices.Clone(b.Copies), func(v Verdict) bool { return v.State == InSync || v.State == Exists })
}
