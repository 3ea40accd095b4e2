package policy

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// Export is a cluster that a source may be copied into, and is not in.
type Export struct {
	// Identity is the uid of its namespace kube-system.
	Identity string
	// Name is that of its RemoteCluster; empty: it is the cluster of the rule.
	Name string
}

// String returns what a message calls the cluster.
func (e Export) String() string {
	if e.Name == "" {
		return "this cluster, whose hub id is " + e.Identity
	}
	return "the cluster " + e.Name + ", whose kube-system has the uid " + e.Identity
}

// CheckExport decides whether the source, which may be projected in its own cluster, may be copied to that cluster. Who consents to
// copies in the same cluster has not consented to another administrator. So it takes an annotation, whatever the source mode. Who permits copies in
// some namespaces of the same cluster has not permitted namespaces of another one that have the same labels.
func CheckExport(source *unstructured.Unstructured, to Export) Problem {
	value, said := source.GetAnnotations()[v1.AnnotationExportable]
	switch {
	case MayExport(source.GetAnnotations(), to.Identity):
		return Problem{}
	case IsLimited(source.GetAnnotations()):
		return Problem{
			Reason:  v1.ReasonSourceNotExportable,
			Message: fmt.Sprintf("the owner of %s permits copies in some namespaces of the same cluster only", nameOf(source)),
			Advice:  fmt.Sprintf("the owner has to set the annotation %s: %q", v1.AnnotationProjectable, v1.ProjectableTrue),
		}
	case value == v1.ProjectableFalse:
		return Problem{
			Reason:  v1.ReasonSourceOptedOut,
			Message: fmt.Sprintf("the owner of %s has opted out by the annotation %s: %q", nameOf(source), v1.AnnotationExportable, v1.ProjectableFalse),
			Advice:  "ask the owner, or delete this rule",
		}
	case said:
		return Problem{
			Reason:  v1.ReasonSourceNotExportable,
			Message: fmt.Sprintf("the annotation %s of %s does not name %s", v1.AnnotationExportable, nameOf(source), to),
			Advice:  fmt.Sprintf("the owner has to add that, or set %q", v1.ProjectableTrue),
		}
	default:
		return Problem{
			Reason:  v1.ReasonSourceNotExportable,
			Message: fmt.Sprintf("the owner of %s has not opted in for other clusters", nameOf(source)),
			Advice: fmt.Sprintf("the owner has to set the annotation %s: %q, or the uid %s in place of %[2]q",
				v1.AnnotationExportable, v1.ProjectableTrue, to.Identity),
		}
	}
}

// MayExport reports whether the owner of an object with these annotations permits copies in the cluster with that identity.
func MayExport(annotations map[string]string, hub string) bool {
	value := annotations[v1.AnnotationExportable]
	if IsLimited(annotations) {
		return false
	}
	if value == v1.ProjectableTrue {
		return true
	}
	named := strings.Split(value, ",")
	return hub != "" && slices.ContainsFunc(named, func(id string) bool { return strings.TrimSpace(id) == hub })
}
