package destination

import (
	"hash/fnv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
)

// State is what of a copy decides whether it is in sync. The zero State is that of an object that does not exist.
type State struct {
	UID             types.UID
	ResourceVersion string
	// Owner is the rule that the object's annotation names, unless the object names another place than its own.
	Owner types.NamespacedName
	// Elsewhere is the rule that the object's annotation names, if the object names another place than its own: somebody
	// else has made it from a copy.
	Elsewhere types.NamespacedName
	// Content is the hash of what was applied last, and the source that the object names.
	Content string
	// Published are the keys of a Secret that a ConfigMap says it may hold, separated by commas.
	Published string
	// Fields is what our field manager still owns of it.
	Fields Fields
	// Proven reports whether the object is known to be a copy of Owner wherever it is. If not, it is a copy only at a place
	// where Owner wants one, and a foreign object elsewhere.
	Proven bool
	// Labelled reports whether the object has the label by which the watch on copies selects objects.
	Labelled    bool
	Terminating bool
	// Others is a hash of the entries of other field managers, except for those of its status.
	Others uint32
}

// Exists reports whether there is an object.
func (s State) Exists() bool { return s.UID != "" }

// isSameButVersion reports whether nothing differs but the resourceVersion.
func (s State) isSameButVersion(other State) bool {
	other.ResourceVersion = s.ResourceVersion
	return s == other
}

// Applied reports whether the rule that the object names as its owner has applied it, and still owns something of it. An
// object that was only marked as its copy is none.
func (s State) Applied() bool { return s.Fields != 0 }

func stateOf(kind owner.RuleKind, object metav1.Object) State {
	_, labelled := object.GetLabels()[kind.Label]
	state := State{
		Labelled:        labelled,
		UID:             object.GetUID(),
		ResourceVersion: object.GetResourceVersion(),
		Content:         contentOf(object.GetAnnotations()),
		Published:       object.GetAnnotations()[v1.AnnotationPublishedKeys],
		Terminating:     object.GetDeletionTimestamp() != nil,
	}
	if owner.IsElsewhere(object) {
		state.Elsewhere, _ = kind.NamedElsewhere(object)
		return state
	}
	named, owned := kind.OwnerOf(object)
	if !owned {
		return state
	}
	state.Owner = named
	rule := owner.Identity{Kind: kind, Namespace: named.Namespace, Name: named.Name}
	state.Fields, state.Others = fieldsOf(object, rule.FieldManager()), othersOf(object, rule.FieldManager())
	state.Proven = owner.IsPlaced(object) || writtenByOperators(object, kind, state.Applied())
	return state
}

// Fields is a hash of the set of fields that a field manager has applied and still owns, without the annotations that stamp
// the place, the source and its uid: copies of earlier versions lack the stamps, and are in sync. The API server takes a field out of
// the set when another writer changes or removes it; writers that add fields of their own leave the set as it is. So two equal Fields
// say that nobody touched what we applied. The zero Fields is unknown.
type Fields uint64

func fieldsOf(object metav1.Object, manager string) Fields {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == "" && entry.FieldsV1 != nil {
			hash := fnv.New64a()
			_, _ = hash.Write([]byte(entry.APIVersion))
			_, _ = hash.Write(withoutStamps(entry.FieldsV1.GetRawBytes()))
			return Fields(hash.Sum64())
		}
	}
	return 0
}
