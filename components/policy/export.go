package policy

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// CheckExport decides whether the source, which may be projected in its own cluster, may be copied to the cluster with that hub id. Who consents to
// copies in the same cluster has not consented to another administrator. So it takes an annotation, whatever the source mode.
func CheckExport(source *unstructured.Unstructured, hub string) Problem {
	value, said := source.GetAnnotations()[v1.AnnotationExportable]
	switch {
	case MayExport(source.GetAnnotations(), hub):
		return Problem{}
	case value == v1.ProjectableFalse:
		return Problem{
			Reason:  v1.ReasonSourceOptedOut,
			Message: fmt.Sprintf("the owner of %s has opted out by the annotation %s: %q", nameOf(source), v1.AnnotationExportable, v1.ProjectableFalse),
			Advice:  "ask the owner, or delete this rule",
		}
	case said:
		return Problem{
			Reason:  v1.ReasonSourceNotExportable,
			Message: fmt.Sprintf("the annotation %s of %s does not name this cluster, whose hub id is %s", v1.AnnotationExportable, nameOf(source), hub),
			Advice:  fmt.Sprintf("the owner has to add that, or set %q", v1.ProjectableTrue),
		}
	default:
		return Problem{
			Reason:  v1.ReasonSourceNotExportable,
			Message: fmt.Sprintf("the owner of %s has not opted in for other clusters", nameOf(source)),
			Advice:  fmt.Sprintf("the owner has to set the annotation %s: %q, or the hub id %s in place of %[2]q", v1.AnnotationExportable, v1.ProjectableTrue, hub),
		}
	}
}

// MayExport reports whether the owner of an object with these annotations permits copies in the cluster with that hub id.
func MayExport(annotations map[string]string, hub string) bool {
	value := annotations[v1.AnnotationExportable]
	if value == v1.ProjectableTrue {
		return true
	}
	named := strings.Split(value, ",")
	return hub != "" && slices.ContainsFunc(named, func(id string) bool { return strings.TrimSpace(id) == hub })
}
