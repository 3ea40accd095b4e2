package destination

import (
	"cmp"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
)

// Annotations of Helm on the objects of a release.
const (
	helmRelease   = "meta.helm.sh/release-name"
	helmNamespace = "meta.helm.sh/release-namespace"
)

// describeOwner says whose the foreign object is, as far as its metadata shows: that of another rule, of a Helm release, of a controller, or
// of the field manager that wrote it last. It quotes only what is a name: everybody who can read the rule can read it.
func describeOwner(object *metav1.PartialObjectMetadata) string {
	if belongs := cmp.Or(describeRule(object), describeRelease(object), describeController(object)); belongs != "" {
		return belongs
	}
	if manager := latestManager(object, ""); manager != "" {
		return fmt.Sprintf("is not a copy of this rule, and was last written by field manager %q", manager)
	}
	return "is not a copy of this rule"
}

// describeRule says to which other rule the object belongs; empty if it names none.
func describeRule(object *metav1.PartialObjectMetadata) string {
	for _, kind := range []owner.RuleKind{owner.Projection, owner.ClusterProjection} {
		if rule, found := kind.OwnerOf(object); found && isName(rule.Name) {
			return "belongs to the " + kind.Name + " " + strings.TrimPrefix(rule.String(), "/")
		}
	}
	return describeRemoteRule(object)
}

// describeRemoteRule says to which rule of another cluster the object belongs; empty if it names none.
func describeRemoteRule(object *metav1.PartialObjectMetadata) string {
	hub, rule, _ := strings.Cut(object.Annotations[v1.AnnotationOwnedByRemote], "/")
	kind, name, _ := strings.Cut(rule, "/")
	if !isName(hub) || !isName(strings.ToLower(kind)) || !isName(name) {
		return ""
	}
	return "belongs to the " + kind + " " + name + " of the cluster with the hub id " + hub
}

// describeRelease says to which Helm release the object belongs; empty if it names none.
func describeRelease(object *metav1.PartialObjectMetadata) string {
	release, in := object.Annotations[helmRelease], object.Annotations[helmNamespace]
	if isName(release) && isName(in) {
		return "belongs to the Helm release " + in + "/" + release
	}
	return ""
}

// describeController says to which controller the object belongs; empty if it names none.
func describeController(object *metav1.PartialObjectMetadata) string {
	if controller := metav1.GetControllerOfNoCopy(object); controller != nil && isName(controller.Name) && isName(strings.ToLower(controller.Kind)) {
		return "belongs to the " + controller.Kind + " " + controller.Name
	}
	return ""
}

// describeOwners says which two rules the object names as its owner.
func describeOwners(object *metav1.PartialObjectMetadata) string {
	one, other := object.Annotations[owner.Projection.Annotation], object.Annotations[owner.ClusterProjection.Annotation]
	if _, name, _ := strings.Cut(one, "/"); !isName(name) || !isName(other) {
		return "names two rules as its owner and belongs to neither"
	}
	return "names two rules as its owner, the Projection " + one + " and the ClusterProjection " + other + ", and belongs to neither"
}

func isName(value string) bool { return len(validation.IsDNS1123Subdomain(value)) == 0 }

// namedFinalizers is how many finalizers a message names.
const namedFinalizers = 2

// waitsFor says which finalizers keep an object that is being deleted; empty if there is none.
func waitsFor(finalizers []string) string {
	switch {
	case len(finalizers) == 0:
		return ""
	case len(finalizers) > namedFinalizers:
		return fmt.Sprintf(" and waits for %d finalizers", len(finalizers))
	default:
		return " and waits for its finalizer " + strings.Join(finalizers, " and ")
	}
}
