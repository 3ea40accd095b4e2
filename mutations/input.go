package mutations

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Input is what a copy depends on besides the source.
type Input struct {
	// Kind is the kind of the source, and of its copies unless CopyKind says otherwise.
	Kind schema.GroupKind
	// Overlay is laid over the labels and annotations of the source.
	Overlay Overlay
	// Stamp marks the copy as its owner's.
	Stamp Stamp
	// Source is the namespace and name of the source; zero: the copy does not name its source.
	Source types.NamespacedName
	// SourceCluster is the name of the cluster of the source; empty: that of the copies.
	SourceCluster string
	// SourceUID is the uid of the source; empty: it is not noted on the copy.
	SourceUID types.UID
	// ServerVersion is the version that the API server reports, such as "v1.36.3". Empty means the newest. One
	// that is no version is an error of the mutations that depend on it, and of no others.
	ServerVersion string
	// Content says what of the source is copied. The zero Content is all of it.
	Content Content
	// CopyKind is the kind of the copies, where a ConfigMap is copied as a Secret, or keys of a Secret are copied as a ConfigMap. Empty:
	// that of the source.
	CopyKind string
	// Merge lays the keys of other objects to those of the source. The zero Merge has none.
	Merge Merge
	// OptOut opts the copy out: its source may be copied into some namespaces only, and the copy not any further.
	OptOut bool
	// Values are values for fields of the copies, which are set in their order after everything else.
	Values []FieldValue
	// ContentHash is the content hash of the copies, if it is known: TargetHash returns that of copies with different values. Empty: it is
	// the hash of the content.
	ContentHash string
}

// KindOfCopies returns the kind of the copies.
func (in Input) KindOfCopies() schema.GroupKind {
	if in.CopyKind == "" {
		return in.Kind
	}
	return schema.GroupKind{Kind: in.CopyKind}
}

// Overlay holds labels and annotations that win over the source's. Keys below projection.sh/ are ignored: neither
// ownership nor consent can be lent by an overlay.
type Overlay struct {
	Labels      map[string]string
	Annotations map[string]string
}

// Stamp names the owner of a copy. The annotation is the authority and must be given; the label lets the API server
// select the copies and is left out if its key is empty. The place is an annotation whose value is <namespace>/<name> of
// the copy, which distinguishes a copy from a copy of it that somebody made elsewhere; it is left out if its key is empty.
type Stamp struct {
	AnnotationKey, AnnotationValue string
	LabelKey, LabelValue           string
	PlaceKey                       string
}
