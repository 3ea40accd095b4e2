package owner

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
)

// RuleKind is one of the two kinds of rules, with the annotation and the label that it puts on copies. To rules of one kind, copies of
// the other are foreign objects.
type RuleKind struct {
	// Name of the rule.
	Name string
	// Annotation names the rule on a copy. It is the authority on ownership.
	Annotation string
	// Label holds the rule's uid on a copy, so that the API server can select copies. It decides nothing.
	Label string
	// Finalizer holds the rule until its copies are gone.
	Finalizer string
	// Namespaced reports whether a rule has copies in its own namespace only.
	Namespaced bool
	// Hub is the identity of the cluster of the rule if the copies are in another one, which Cluster names; empty: the copies are in the cluster of
	// the rule.
	Hub, Cluster string
}

// The two kinds.
var (
	Projection = RuleKind{
		Name:       v1.KindProjection,
		Annotation: v1.AnnotationOwnedByProjection,
		Label:      v1.LabelOwnedByProjectionUID,
		Finalizer:  v1.FinalizerProjection,
		Namespaced: true,
	}
	ClusterProjection = RuleKind{
		Name:       v1.KindClusterProjection,
		Annotation: v1.AnnotationOwnedByClusterProjection,
		Label:      v1.LabelOwnedByClusterProjectionUID,
		Finalizer:  v1.FinalizerClusterProjection,
	}
)

// In returns the kind of rules whose copies are in the cluster of that name. The hub id is the identity of the cluster of the rules.
func (k RuleKind) In(cluster, hub string) RuleKind {
	k.Annotation, k.Label, k.Hub, k.Cluster = v1.AnnotationOwnedByRemote, v1.LabelOwnedByHubPrefix+hub, hub, cluster
	return k
}

// String returns the name of the kind, and the cluster of its copies if that is another one: by it, rules are enqueued.
func (k RuleKind) String() string {
	if k.Cluster == "" {
		return k.Name
	}
	return k.Name + In + k.Cluster
}

// In separates the name of a kind from the name of the cluster, in what String returns.
const In = " in "

// refPrefix returns what precedes the name of the rule in the annotation of its copies.
func (k RuleKind) refPrefix() string {
	if k.Hub == "" {
		return ""
	}
	return k.Hub + "/" + k.Name + "/"
}

// OwnerOf returns the rule of this kind that owns the object, by the object's annotation. A namespaced rule owns nothing outside its
// namespace, whatever an annotation says. An object that names another place than its own has no owner. Neither has an object that names
// two rules.
//
// Example: somebody adds the annotation of a ClusterProjection to the copy of a Projection. If both owned the copy, each would overwrite
// what the other writes, without end.
func (k RuleKind) OwnerOf(object metav1.Object) (types.NamespacedName, bool) {
	if IsAmbiguous(object) || IsElsewhere(object) {
		return types.NamespacedName{}, false
	}
	return k.namedBy(object)
}

// NamedElsewhere returns the rule of this kind that the object names as its owner, if the object names another place than its
// own.
func (k RuleKind) NamedElsewhere(object metav1.Object) (types.NamespacedName, bool) {
	if IsAmbiguous(object) || !IsElsewhere(object) {
		return types.NamespacedName{}, false
	}
	return k.namedBy(object)
}

// IsPlaced reports whether the object names its own place.
func IsPlaced(object metav1.Object) bool {
	return object.GetAnnotations()[v1.AnnotationPlace] == placeOf(object)
}

// IsElsewhere reports whether the object names another place than its own. Copies of version 1 name none.
func IsElsewhere(object metav1.Object) bool {
	place, found := object.GetAnnotations()[v1.AnnotationPlace]
	return found && place != placeOf(object)
}

func placeOf(object metav1.Object) string { return object.GetNamespace() + "/" + object.GetName() }

// IsAmbiguous reports whether the object names several rules as its owner: of the two kinds, or one of another cluster.
func IsAmbiguous(object metav1.Object) bool {
	_, one := Projection.namedBy(object)
	_, other := ClusterProjection.namedBy(object)
	isRemote := object.GetAnnotations()[v1.AnnotationOwnedByRemote] != ""
	return one && other || isRemote && (one || other)
}

func (k RuleKind) namedBy(object metav1.Object) (types.NamespacedName, bool) {
	value, found := strings.CutPrefix(object.GetAnnotations()[k.Annotation], k.refPrefix())
	if !found {
		return types.NamespacedName{}, false
	}
	if !k.Namespaced {
		return types.NamespacedName{Name: value}, value != ""
	}
	namespace, name, found := strings.Cut(value, "/")
	if !found || name == "" || namespace != object.GetNamespace() {
		return types.NamespacedName{}, false
	}
	return types.NamespacedName{Namespace: namespace, Name: name}, true
}
