package policy

import (
	"iter"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

// CheckAdoption decides whether a rule may make foreign objects copies at all. The author of a Projection may be allowed less than the operator,
// so a Projection adopts with the permissions of a service account: otherwise its author could overwrite and delete objects by way of the operator.
// Who may write ClusterProjections is trusted with the operator's permissions.
func CheckAdoption(ofTenant bool, onConflict v1.ConflictPolicy) Problem {
	if !ofTenant || !onConflict.Adopts() {
		return Problem{}
	}
	return Problem{
		Reason:  v1.ReasonRuleInvalid,
		Message: "to adopt objects, a Projection needs a service account whose permissions it uses",
		Copies:  CopiesKept,
		Advice:  "set spec.serviceAccountName, or remove spec.policy.onConflict",
	}
}

// Obstacle is why an object is not adopted, in words that follow "an object is there that", and what to do. The zero value: it may be adopted.
type Obstacle struct{ Is, Advice string }

// ownerMarks are the annotations that name the rule whose copy an object is, and releasedMarks the labels that stay when somebody removes them.
var (
	ownerMarks    = []string{v1.AnnotationOwnedByProjection, v1.AnnotationOwnedByClusterProjection, v1.AnnotationOwnedByRemote}
	releasedMarks = []string{v1.LabelOwnedByProjectionUID, v1.LabelOwnedByClusterProjectionUID}
)

// ObstacleTo returns what keeps every rule from adopting the object, as far as its metadata shows: another rule, a controller or a tool has a claim
// on it, and would change it back, or delete it; or it is a source itself, and what is copied into it would be copied on. Copies of tools that
// make copies may be adopted.
//
// Example: somebody restores a backup of another cluster. The objects in it name the rules of that cluster. So do copies that the operator of another
// cluster has written into this one.
func ObstacleTo(object metav1.Object) Obstacle {
	annotations, labels := object.GetAnnotations(), object.GetLabels()
	for _, mark := range ownerMarks {
		if _, found := annotations[mark]; found {
			return Obstacle{"has the annotation " + mark, "delete the object, or remove that annotation if no rule there is has made it"}
		}
	}
	for _, mark := range releasedMarks {
		if _, found := labels[mark]; found {
			return Obstacle{"was released from a rule", "delete it, or remove its label " + mark + " to let this rule adopt it"}
		}
	}
	if metav1.GetControllerOfNoCopy(object) != nil {
		return Obstacle{"belongs to a controller", "delete it, or set another destination.name"}
	}
	if consent, found := annotations[v1.AnnotationProjectable]; found && consent != v1.ProjectableFalse {
		return sourceOf("rules", v1.AnnotationProjectable)
	}
	if _, found := annotations[v1.AnnotationPublicKeys]; found {
		return sourceOf("rules", v1.AnnotationPublicKeys)
	}
	return obstacleOfTools(labels, annotations)
}

// sourceOf is the obstacle of an object that is copied already, as the label or annotation shows.
func sourceOf(of, mark string) Obstacle {
	return Obstacle{"is itself a source of " + of + " (" + mark + ")", "set another destination.name, or remove that label or annotation"}
}

// obstacleOfTools returns the obstacle of an object with the marks of tools. A copy of a tool may bear marks that it has of its source.
func obstacleOfTools(entries ...map[string]string) Obstacle {
	copyOf := map[string]bool{}
	for _, mark := range toolMarks(entries) {
		copyOf[mark.Tool] = copyOf[mark.Tool] || mark.Role == mutations.MarkOfCopy
	}
	for key, mark := range toolMarks(entries) {
		switch mark.Role {
		case mutations.MarkOfManaged:
			return Obstacle{"has a mark of " + mark.Tool + " (" + key + ")", "take it out there first, and remove that label or annotation"}
		case mutations.MarkOfSource:
			return sourceOf(mark.Tool, key)
		case mutations.MarkOfEither:
			if !copyOf[mark.Tool] {
				return sourceOf(mark.Tool, key)
			}
		case mutations.MarkOfCopy:
		}
	}
	return Obstacle{}
}

// toolMarks returns the marks of tools among the entries, in a fixed order.
func toolMarks(entries []map[string]string) iter.Seq2[string, mutations.ToolMark] {
	return func(yield func(string, mutations.ToolMark) bool) {
		for _, some := range entries {
			for _, key := range slices.Sorted(maps.Keys(some)) {
				if mark, found := mutations.ToolMarkOf(key, some[key]); found && !yield(key, mark) {
					return
				}
			}
		}
	}
}

// IsCopyMark reports whether the label or annotation is the mark that a tool puts on its copies. It is removed from an object that is adopted:
// otherwise that tool would change or delete the object.
func IsCopyMark(key, value string) bool {
	mark, found := mutations.ToolMarkOf(key, value)
	return found && (mark.Role == mutations.MarkOfCopy || mark.Role == mutations.MarkOfEither)
}
