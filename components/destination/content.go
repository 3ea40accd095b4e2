package destination

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unique"

	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/mutations"
)

// contentOf returns what the annotations of a copy say of its content: the content hash and, behind a space, the source that they name,
// if they name one. The layers that are merged with the source follow behind another space.
func contentOf(annotations map[string]string) string {
	return namedIn(annotations).contentWith(annotations[v1.AnnotationContentHash])
}

// named is what the annotations of a copy name.
type named struct{ source, layers string }

func namedIn(annotations map[string]string) named {
	return named{source: annotations[v1.AnnotationSource], layers: annotations[v1.AnnotationLayers]}
}

// contentWith is contentOf for a copy with that content hash.
func (n named) contentWith(hash string) string {
	switch {
	case n.source == "" && n.layers == "":
		return hash
	case n.layers == "":
		return hash + " " + n.source
	}
	return unique.Make(hash + " " + n.source + " " + n.layers).Value() // it can be long, and all copies of a rule have it
}

// IsOf reports whether the copy names the object as its source. Copies of earlier versions name none.
func (s State) IsOf(source v1.SourceRef) bool {
	said := s.source()
	return said == SourceName(source) || said != "" && said == mutations.SourceName("", source.GroupKind(), hidden(source))
}

// nameElsewhere returns how a copy in another cluster than its rule names its source: by a hash, so that the copies of two sources can be told apart.
// The copies of rules with several sources name none.
func nameElsewhere(spec owner.Spec) types.NamespacedName {
	if spec.Selects() || spec.Merges() || spec.IsSelected() {
		return types.NamespacedName{}
	}
	return hidden(spec.Source)
}

// hidden returns the name of an object in copies in other clusters. No object has it, since it has no namespace.
func hidden(object v1.SourceRef) types.NamespacedName {
	sum := sha256.Sum256([]byte(SourceName(object)))
	return types.NamespacedName{Name: hex.EncodeToString(sum[:10])}
}

// HasContent reports whether the copy has that content, or had it before somebody changed it.
func (s State) HasContent(content string) bool { return isContent(s.Content, content) }

// IsOfAnother reports whether the copy names another object than that as its source.
func (s State) IsOfAnother(source v1.SourceRef) bool { return s.source() != "" && !s.IsOf(source) }

// isOfSecret reports whether the copy names a Secret as its source, or among its layers.
func (s State) isOfSecret() bool {
	_, names, _ := strings.Cut(s.Content, " ")
	return strings.HasPrefix(names, "Secret/") ||
		slices.ContainsFunc([]string{" Secret/", ",Secret/", ":Secret/"}, func(part string) bool { return strings.Contains(names, part) })
}

// source returns the source that the copy names; empty if it names none.
func (s State) source() string {
	return sourceIn(s.Content)
}

// sourceIn returns the source that is named in what contentOf returns; empty if none is.
func sourceIn(content string) string {
	_, source, _ := strings.Cut(content, " ")
	source, _, _ = strings.Cut(source, " ")
	return source
}

// hashIn returns the content hash in what contentOf returns.
func hashIn(content string) string {
	hash, _, _ := strings.Cut(content, " ")
	return hash
}

// layersIn returns the layers that are named in what contentOf returns; empty if none are.
func layersIn(content string) string {
	_, source, _ := strings.Cut(content, " ")
	_, layers, _ := strings.Cut(source, " ")
	return layers
}

// exactContent begins the content that is wanted of a copy which has to name its source itself. No copy bears it.
const exactContent = "= "

// isContent reports whether a copy with that content has the content that is wanted. Copies of earlier versions name no source, and
// are in sync; they have no layers.
func isContent(content, wanted string) bool {
	if exact, isExact := strings.CutPrefix(wanted, exactContent); isExact {
		return content == exact
	}
	hash, _, _ := strings.Cut(wanted, " ")
	return content == wanted || content == hash && layersIn(wanted) == ""
}
