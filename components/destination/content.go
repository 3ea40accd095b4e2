package destination

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
)

// contentOf returns what the annotations of a copy say of its content: the content hash and, behind a space, the source that they name,
// if they name one.
func contentOf(annotations map[string]string) string {
	hash, source := annotations[v1.AnnotationContentHash], annotations[v1.AnnotationSource]
	if source == "" {
		return hash
	}
	return hash + " " + source
}

// IsOf reports whether the copy names the object as its source. Copies of earlier versions name none.
func (s State) IsOf(kind schema.GroupKind, source types.NamespacedName) bool {
	return s.source() == kind.String()+"/"+source.String()
}

// isOfSecret reports whether the copy names a Secret as its source.
func (s State) isOfSecret() bool { return strings.HasPrefix(s.source(), "Secret/") }

// source returns the source that the copy names; empty if it names none.
func (s State) source() string {
	_, source, _ := strings.Cut(s.Content, " ")
	return source
}

// AnyContent is the content that is wanted of a copy which only has to exist. No copy bears it.
const AnyContent = "*"

// isContent reports whether a copy with that content has the content that is wanted. Copies of earlier versions name no source, and
// are in sync.
func isContent(content, wanted string) bool {
	hash, _, _ := strings.Cut(wanted, " ")
	return wanted == AnyContent || content == wanted || content == hash
}
