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
	return contentWith(annotations[v1.AnnotationContentHash], annotations)
}

// contentWith is contentOf for a copy with that content hash.
func contentWith(hash string, annotations map[string]string) string {
	source := annotations[v1.AnnotationSource]
	if source == "" {
		return hash
	}
	return hash + " " + source
}

// IsOf reports whether the copy names the object as its source. Copies of earlier versions name none.
func (s State) IsOf(kind schema.GroupKind, source types.NamespacedName) bool {
	return s.source() == kind.String()+"/"+source.String()
}

// HasContent reports whether the copy has that content, or had it before somebody changed it.
func (s State) HasContent(content string) bool { return isContent(s.Content, content) }

// IsOfAnother reports whether the copy names another object than that as its source.
func (s State) IsOfAnother(kind schema.GroupKind, source types.NamespacedName) bool {
	return s.source() != "" && !s.IsOf(kind, source)
}

// isOfSecret reports whether the copy names a Secret as its source.
func (s State) isOfSecret() bool { return strings.HasPrefix(s.source(), "Secret/") }

// source returns the source that the copy names; empty if it names none.
func (s State) source() string {
	return sourceIn(s.Content)
}

// sourceIn returns the source that is named in what contentOf returns; empty if none is.
func sourceIn(content string) string {
	_, source, _ := strings.Cut(content, " ")
	return source
}

// isContent reports whether a copy with that content has the content that is wanted. Copies of earlier versions name no source, and
// are in sync.
func isContent(content, wanted string) bool {
	hash, _, _ := strings.Cut(wanted, " ")
	return content == wanted || content == hash
}
