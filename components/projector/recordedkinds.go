package projector

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

// isKind matches the names that the API server accepts for kinds.
var isKind = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?$`)

// recordedKinds returns the kinds that the rule may have copies of. What cannot be read as a kind is passed over.
func recordedKinds(rule client.Object) []schema.GroupKind {
	var kinds []schema.GroupKind
	for name := range strings.SplitSeq(rule.GetAnnotations()[v1.AnnotationWrittenKinds], ",") {
		if kind := schema.ParseGroupKind(strings.TrimSpace(name)); isKind.MatchString(kind.Kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func kindNames(kinds []schema.GroupKind) string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = kind.String()
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ",")
}
