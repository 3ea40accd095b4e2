package destination

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
)

// kept is what is wanted of a copy that only has to exist. Its content may be any.
type kept struct {
	// label is the uid of the rule.
	label string
	// optedOut reports whether the copy says that it is not to be copied further.
	optedOut bool
	// publishes reports whether the copy is a ConfigMap with keys of a Secret. It has to say which, as the rule has written it.
	publishes bool
	// saysSource reports whether it is the rule that has to say of which source the copy is.
	saysSource bool
	// source is the source that the copy names, and sourceUID its uid if the copy notes one; empty: any.
	source, sourceUID string
}

// anyContent begins the content that is wanted of a copy which only has to exist. No copy bears it.
const anyContent = "* "

// isAnyContent reports whether the copy that is wanted only has to exist.
func isAnyContent(wanted string) bool { return strings.HasPrefix(wanted, anyContent) }

// AnyContent returns the content that is wanted of a copy of any source which only has to exist, with the label of the rule with that uid.
func AnyContent(rule types.UID) string { return kept{label: string(rule)}.String() }

// keptOf returns what is wanted of the copies of a rule that only have to exist.
func keptOf(rule owner.Identity, template metav1.Object, source types.UID) kept {
	annotations := template.GetAnnotations()
	return kept{
		label:     string(rule.UID),
		optedOut:  annotations[v1.AnnotationProjectable] == v1.ProjectableFalse,
		publishes: annotations[v1.AnnotationPublishedKeys] != "",
		source:    sourceIn(contentOf(annotations)),
		sourceUID: string(source),
	}
}

// String returns the content that is wanted. None of the fields has a space.
func (k kept) String() string {
	flags := ""
	if k.optedOut {
		flags += "o"
	}
	if k.publishes {
		flags += "p"
	}
	if k.saysSource {
		flags += "s"
	}
	return anyContent + strings.Join([]string{k.label, flags, k.sourceUID, k.source}, " ")
}

// parseKept reads what String returned; false: another content is wanted.
func parseKept(wanted string) (k kept, isKept bool) {
	fields := strings.Split(wanted, " ")
	if !isAnyContent(wanted) || len(fields) != 5 {
		return kept{}, false
	}
	return kept{
		label: fields[1], optedOut: strings.Contains(fields[2], "o"), publishes: strings.Contains(fields[2], "p"),
		saysSource: strings.Contains(fields[2], "s"), sourceUID: fields[3], source: fields[4],
	}, true
}

// mayKeep reports whether a copy in this State can stay as it is but for its marks. A copy of another source cannot, nor one that was written from
// an earlier source of the same name, nor one whose adoption has not ended, nor one of which somebody else says which keys it holds, or which
// layers: their owners decide about them.
func (s State) mayKeep(wanted string) bool {
	k, isKept := parseKept(wanted)
	return isKept && !s.Adopting && k.isSourceOf(s) && (!k.publishes || s.SaysKeys) && !s.HidesLayers && (!k.saysSource || !s.HidesSource)
}

// isSourceOf reports whether the copy names the source, with its uid if it notes one.
func (k kept) isSourceOf(s State) bool {
	return (k.source == "" || s.source() == k.source) && (k.sourceUID == "" || s.SourceUID == 0 || s.SourceUID == digestOf(k.sourceUID))
}

// hasMarks reports whether the copy has the label of the rule, and the opt-out if it needs one.
func (k kept) hasMarks(s State) bool {
	return s.Label == digestOf(k.label) && (s.OptedOut || !k.optedOut)
}

// isKept reports whether a copy in this State is the one that only has to exist.
func (s State) isKept(wanted string) bool {
	k, _ := parseKept(wanted)
	return s.mayKeep(wanted) && s.Proven && k.hasMarks(s)
}

// marks returns the labels and annotations that a copy at the place is to have, where it only has to exist.
func (s CopySet) marks(at types.NamespacedName, wanted string) map[string]any {
	k, _ := parseKept(wanted)
	stamp := s.Owner.Stamp()
	annotations := map[string]any{stamp.PlaceKey: at.String()}
	if k.optedOut {
		annotations[v1.AnnotationProjectable] = v1.ProjectableFalse
	}
	return map[string]any{"labels": map[string]any{stamp.LabelKey: stamp.LabelValue}, "annotations": annotations}
}
