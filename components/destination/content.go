package destination

import (
	"strings"

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

// isContent reports whether a copy with that content has the content that is wanted. Copies of earlier versions name no source, and
// are in sync.
func isContent(content, wanted string) bool {
	hash, _, _ := strings.Cut(wanted, " ")
	return content == wanted || content == hash
}
