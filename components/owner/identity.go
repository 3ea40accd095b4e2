package owner

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

// Identity says which rule it is.
type Identity struct {
	Kind            RuleKind
	Namespace, Name string
	UID             types.UID
}

// Key returns the namespace and name of the rule.
func (i Identity) Key() types.NamespacedName {
	return types.NamespacedName{Namespace: i.Namespace, Name: i.Name}
}

// Ref returns the namespace and name of the rule as <namespace>/<name>, or <name> without a namespace.
func (i Identity) Ref() string {
	if i.Namespace == "" {
		return i.Name
	}
	return i.Namespace + "/" + i.Name
}

// OwnedBy returns the name of the rule as the annotation of its copies has it: its Ref, in another cluster behind the hub id and the kind.
func (i Identity) OwnedBy() string { return i.Kind.refPrefix() + i.Ref() }

// Stamp returns the annotations and the label that a copy has.
func (i Identity) Stamp() mutations.Stamp {
	return mutations.Stamp{
		AnnotationKey: i.Kind.Annotation, AnnotationValue: i.OwnedBy(),
		LabelKey: i.Kind.Label, LabelValue: string(i.UID),
		PlaceKey: v1.AnnotationPlace,
	}
}

// Owns reports whether the object says that it is a copy of this rule, and does not say that it is one at another place.
func (i Identity) Owns(object metav1.Object) bool {
	owner, found := i.Kind.OwnerOf(object)
	return found && owner == i.Key()
}

// Elsewhere reports whether the object says that it is a copy of this rule, but at another place: somebody has copied a
// copy. It is a foreign object.
func (i Identity) Elsewhere(object metav1.Object) bool {
	owner, found := i.Kind.NamedElsewhere(object)
	return found && owner == i.Key()
}

// Marks reports whether the object says in any way that it is a copy of the rule, so that it is no source that the rule selects: no copy feeds itself.
func (i Identity) Marks(object metav1.Object) bool {
	return i.Owns(object) || i.Elsewhere(object) || i.UID != "" && object.GetLabels()[i.Kind.Label] == string(i.UID)
}

// Released reports whether the object was a copy of this rule until somebody took the annotation off.
func (i Identity) Released(object metav1.Object) bool {
	_, owned := object.GetAnnotations()[i.Kind.Annotation]
	return !owned && !IsElsewhere(object) && i.UID != "" && object.GetLabels()[i.Kind.Label] == string(i.UID)
}

// maxFieldManager is the length that the API server accepts.
const maxFieldManager = 128

// Adopting returns the field manager under which the rule applies a foreign object that it makes a copy. It is that of no copy whose adoption
// has ended.
func (i Identity) Adopting() string {
	manager := i.FieldManager()
	return manager[:min(len(manager), maxFieldManager-len(adopting))] + adopting
}

// adopting ends the names of field managers of adoptions.
const adopting = "/adopting"

// IsAdopting reports whether the field manager is that under which the rule adopts.
func (i Identity) IsAdopting(manager string) bool {
	return strings.HasSuffix(manager, adopting) && manager == i.Adopting()
}

// FieldManager returns the field manager under which the rule applies its copies: <Kind>/<ref>, in another cluster with @<hub id> behind it. A rule
// that is created again has the same one. A name that is too long is cut and closed with a hash of the whole.
func (i Identity) FieldManager() string {
	manager := i.Kind.Name + "/" + i.Ref()
	if i.Kind.Hub != "" {
		manager += "@" + i.Kind.Hub
	}
	if len(manager) <= maxFieldManager {
		return manager
	}
	sum := sha256.Sum256([]byte(manager))
	hash := hex.EncodeToString(sum[:16])
	return manager[:maxFieldManager-len(hash)-1] + "-" + hash
}
