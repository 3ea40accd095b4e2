package destination

import (
	"hash/fnv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/mutations"
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
	// OptedOut reports whether the object says that it is not to be copied further.
	OptedOut bool
	// SaysKeys reports whether it is the rule that says which keys of a Secret the object holds.
	SaysKeys bool
	// HidesLayers reports whether the object has layers, and somebody else than the rule says which ones, or nobody does.
	HidesLayers bool
	// HidesSource reports whether the object names a source, and somebody else than the rule says so.
	HidesSource bool
	// Label is a hash of the value of that label, and SourceUID one of the uid of the source that the object notes; 0: it notes none.
	Label, SourceUID digest
	// Adopting reports whether the object is a copy of Owner whose adoption has not ended.
	Adopting bool
	// ChangedAt is when the rule has changed the object last, as its managed fields say, in seconds since 1970; 0: that is not known.
	ChangedAt int64
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
	label, labelled := object.GetLabels()[kind.Label]
	state := State{
		Labelled:        labelled,
		Label:           digestOf(label),
		SourceUID:       digestOf(object.GetAnnotations()[v1.AnnotationSourceUID]),
		UID:             object.GetUID(),
		ResourceVersion: object.GetResourceVersion(),
		Content:         contentOf(object.GetAnnotations()),
		Published:       object.GetAnnotations()[v1.AnnotationPublishedKeys],
		Terminating:     object.GetDeletionTimestamp() != nil,
		OptedOut:        object.GetAnnotations()[v1.AnnotationProjectable] == v1.ProjectableFalse,
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
	state.Fields, state.Others = fieldsOf(object, rule), othersOf(object, rule.FieldManager())
	state.Adopting = isAdopting(object, rule)
	state.ChangedAt = changedAt(object, rule.FieldManager())
	state.SaysKeys = state.Published != "" && owns(object, rule.FieldManager(), publishedPath)
	state.HidesSource = sourceIn(state.Content) != "" && !owns(object, rule.FieldManager(), sourcePath)
	state.HidesLayers = mutations.IsMerged(hashIn(state.Content)) && !owns(object, rule.FieldManager(), layersPath)
	state.Proven = owner.IsPlaced(object) || writtenByOperators(object, kind, state.Applied())
	return state
}

// digest is a hash of a uid.
type digest uint32

// digestOf returns the hash of the uid; 0 if it is empty.
func digestOf(uid string) digest {
	if uid == "" {
		return 0
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(uid))
	return digest(hash.Sum32())
}

// Fields is a hash of the set of fields that a field manager has applied and still owns, without the annotations that stamp
// the place, the source and its uid: copies of earlier versions lack the stamps, and are in sync. The API server takes a field out of
// the set when another writer changes or removes it; writers that add fields of their own leave the set as it is. So two equal Fields
// say that nobody touched what we applied. The zero Fields is unknown.
type Fields uint64

// fieldsOf returns what the rule owns of the object. That of an object whose adoption has not ended is unknown.
func fieldsOf(object metav1.Object, rule owner.Identity) Fields {
	entry, found := appliedBy(object, rule.FieldManager())
	if !found || isAdopting(object, rule) {
		return 0
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(entry.APIVersion))
	_, _ = hash.Write(withoutStamps(entry.FieldsV1.GetRawBytes()))
	return Fields(hash.Sum64())
}

// changedAt returns when the field manager has changed the object last, in seconds since 1970; 0 if that is not known. An apply that changes nothing
// does not count.
func changedAt(object metav1.Object, manager string) int64 {
	entry, found := appliedBy(object, manager)
	if !found || entry.Time == nil {
		return 0
	}
	return entry.Time.Unix()
}

// appliedBy returns the entry of what the field manager has applied.
func appliedBy(object metav1.Object, manager string) (metav1.ManagedFieldsEntry, bool) {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == "" && entry.FieldsV1 != nil {
			return entry, true
		}
	}
	return metav1.ManagedFieldsEntry{}, false
}

// publishedPath is the path of the annotation with the keys of a Secret, in a set of fields as managedFields has it.
var publishedPath = stampPath(v1.AnnotationPublishedKeys)

// layersPath is that of the annotation with the layers, and sourcePath that of the one with the source.
var layersPath, sourcePath = stampPath(v1.AnnotationLayers), stampPath(v1.AnnotationSource)

// owns reports whether the field manager has applied the field at the path, and nobody has changed it since.
func owns(object metav1.Object, manager string, path [][]byte) bool {
	entry, found := appliedBy(object, manager)
	return found && findPath(entry.FieldsV1.GetRawBytes(), path) >= 0
}
