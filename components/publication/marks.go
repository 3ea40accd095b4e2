package publication

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/mutations"
)

// fieldManager is that of everything that is written for PublishedResources. Each object has at most one.
const fieldManager = "projection-published"

// marks are what marks an object as one that the operator wrote for a PublishedResource. They are the same in every cluster, that of the operator
// included: an operator of rules never takes such an object for a copy of its own.
type marks struct {
	hub  string // id of the hub
	name string // of the PublishedResource
	uid  types.UID
}

// owner is the value of the annotation, which decides whose object it is.
func (m marks) owner() string { return m.of(m.name) }

// of returns the owner of objects of another PublishedResource.
func (m marks) of(name string) string {
	return m.hub + "/" + v1alpha1.KindPublishedResource + "/" + name
}

// label is the key by which the API server selects the objects of the hub. Its value is the uid of the PublishedResource.
func (m marks) label() string { return v1.LabelOwnedByHubPrefix + m.hub }

func (m marks) stamp() mutations.Stamp {
	return mutations.Stamp{
		AnnotationKey: v1.AnnotationOwnedByRemote, AnnotationValue: m.owner(), LabelKey: m.label(), LabelValue: string(m.uid), PlaceKey: v1.AnnotationPlace,
	}
}

// own reports whether the object is one of the PublishedResource, and not one that somebody has made from one elsewhere.
func (m marks) own(object metav1.Object) bool {
	annotations := object.GetAnnotations()
	place, placed := annotations[v1.AnnotationPlace]
	return annotations[v1.AnnotationOwnedByRemote] == m.owner() && (!placed || place == placeOf(object).String())
}

// isMarked reports whether the object says that it is a copy of anything.
func isMarked(object metav1.Object) bool {
	for key := range object.GetAnnotations() {
		if strings.HasPrefix(key, v1.Domain+"/owned-by-") {
			return true
		}
	}
	return false
}

func placeOf(object metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}

// String returns the value of the annotation that names the origin.
func (o Origin) String() string { return o.Cluster + "/" + o.Namespace + "/" + o.Name }

// key returns where the object is in its cluster.
func (o Origin) key() types.NamespacedName {
	return types.NamespacedName{Namespace: o.Namespace, Name: o.Name}
}

// originOf returns what an object that is a copy says of its origin, and false if it says nothing.
func originOf(object metav1.Object) (of Origin, uid types.UID, found bool) {
	parts := strings.Split(object.GetAnnotations()[v1.AnnotationOrigin], "/")
	if len(parts) != 3 || parts[0] == "" || parts[2] == "" { //nolint:mnd // identity, namespace and name
		return Origin{}, "", false
	}
	return Origin{Cluster: parts[0], Namespace: parts[1], Name: parts[2]}, types.UID(object.GetAnnotations()[v1.AnnotationOriginUID]), true
}
