package forecast

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
)

// place is what is known of the object in the place of a copy. The zero place has none.
type place struct {
	exists, isOwned, isReleased bool
	// isHidden reports whether the caller may not read it.
	isHidden bool
	state    destination.State
	// source is what the object names as its source.
	source string
	// sourceUID is what it notes as the uid of that.
	sourceUID string
	// hasSecretLayer reports whether a Secret is among the layers that it names.
	hasSecretLayer bool
	// belongs says whose the object is if it is no copy of the rule; empty: that is not known.
	belongs string
	// isSource reports whether it is that of the source itself, or of one of its layers. There may be no such layer.
	isSource bool
	// obstacle is what keeps every rule from adopting the object.
	obstacle policy.Obstacle
}

// placeOf returns what the metadata say to the rule. Nil: there is no object.
func placeOf(rule access.Rule, found *metav1.PartialObjectMetadata) place {
	if found == nil {
		return place{}
	}
	return place{
		exists: true, isOwned: rule.Owns(found), isReleased: rule.Released(found),
		state: destination.StateOf(rule.Kind, found), source: found.Annotations[v1.AnnotationSource],
		sourceUID:      found.Annotations[v1.AnnotationSourceUID],
		hasSecretLayer: strings.Contains(found.Annotations[v1.AnnotationLayers], "Secret/"), belongs: belongs(found), obstacle: policy.ObstacleTo(found),
	}
}

// of returns what is known of the place if it is that of a copy which the spec asks for.
func (p place) of(spec owner.Spec, at Object) place {
	p.isSource = SourceOf(spec.Source) == at || slices.ContainsFunc(spec.Merge.Layers, func(layer v1.LayerSpec) bool { return SourceOf(layer.Source) == at })
	return p
}

// belongs says to which rule the object belongs.
func belongs(found *metav1.PartialObjectMetadata) string {
	for _, kind := range []owner.RuleKind{owner.Projection, owner.ClusterProjection} {
		if name, owned := kind.OwnerOf(found); owned {
			return "a copy of the " + kind.Name + " " + strings.TrimPrefix(name.String(), "/")
		}
	}
	return ""
}

// nothingThere is the message of a copy that is missing.
const nothingThere = "there is no object in the place of the copy yet"

// compareCopy says what is in the place of the copy.
func compareCopy(rule access.Rule, spec owner.Spec, desired destination.DesiredCopy, found place) Verdict {
	applied := destination.ParseFieldSets(rule.Object.GetCommonStatus().AppliedFields)
	switch {
	case found.isSource && !found.isOwned: // also if it does not exist
		return foreign(spec, found)
	case !found.exists:
		return waiting(Verdict{State: Missing, Message: nothingThere}, spec)
	case !found.isOwned:
		return foreign(spec, found)
	case found.state.Terminating:
		return Verdict{State: OutOfSync, Message: "the copy is being deleted"}
	case !desired.HasIn(found.state):
		return waiting(Verdict{State: OutOfSync, Message: "the copy was written with other content than the rule wants now"}, spec)
	case desired.IsOnlyToExist() && !desired.MergesAllIn(found.state):
		return unknown("spec.policy.updates is CreateOnly, and the copy names an object that is not merged any more: whether its owner consents is not known")
	case desired.IsOnlyToExist():
		return Verdict{State: Exists, Message: "spec.policy.updates is CreateOnly: the copy keeps its content"}
	case !applied.Has(found.state.Fields):
		return waiting(Verdict{State: OutOfSync, Message: "somebody else has changed fields of the copy, or the operator has not reported it yet"}, spec)
	default:
		return Verdict{State: InSync}
	}
}

// foreign is the verdict on an object that is no copy of the rule.
func foreign(spec owner.Spec, found place) Verdict {
	verdict := Verdict{State: Foreign, Reason: v1.ReasonDestinationConflict, Message: "the object in the place of the copy is no copy of this rule"}
	onConflict := spec.Policy.OnConflict
	switch {
	case found.isSource:
		verdict.Message, verdict.Next = "the place of the copy is that of the source, or of a layer", "set destination.name"
	case found.state.Terminating:
		verdict.Message = "the object in the place of the copy is being deleted; the copy follows"
	case onConflict == v1.ConflictSkip:
		verdict.Message += "; spec.policy.onConflict is Skip"
	case found.isReleased:
		verdict.Message = "the object in the place of the copy was released: somebody took the annotation of this rule off"
	case found.belongs != "":
		verdict.Message = "the object in the place of the copy is " + found.belongs
		verdict.Next = "choose another name for the copies of one of the rules, or remove this namespace from the targets"
	case onConflict.Adopts() && found.obstacle != (policy.Obstacle{}):
		verdict.Message, verdict.Next = "the object in the place of the copy "+found.obstacle.Is, found.obstacle.Advice
	case onConflict == "" || onConflict == v1.ConflictRefuse:
		if found.obstacle.Is != "" {
			verdict.Message += ", and " + found.obstacle.Is
		}
		verdict.Next = "set another name, remove the object if nobody needs it, or see spec.policy.onConflict"
	default:
		verdict.Message += "; spec.policy.onConflict is " + string(onConflict)
	}
	return verdict
}

// waiting adds why the copy may have to wait.
func waiting(verdict Verdict, spec owner.Spec) Verdict {
	switch {
	case spec.Suspended:
		verdict.Reason = v1.ReasonSuspended
		verdict.Message += "; the rule is suspended, so that nothing is written"
	case spec.Rollout != nil:
		verdict.Message += "; the copy may have to wait for its turn in the rollout"
	}
	return verdict
}
