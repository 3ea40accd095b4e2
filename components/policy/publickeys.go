package policy

import (
	"fmt"
	"slices"
	"strings"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

// CheckPublicKeys decides whether keys of the source of that name may be copied into an object of that kind; empty: of the source's own.
// Who consents to copies of a Secret relies on the permissions on Secrets in other namespaces, and ConfigMaps are readable by many more
// people. So only keys that the owner of the Secret declares public become a ConfigMap.
func CheckPublicKeys(source v1.SourceRef, copyKind string, data v1.DataFilter, annotations map[string]string) Problem {
	if copyKind != "ConfigMap" || source.Kind == copyKind {
		return Problem{}
	}
	filter := mutations.KeyFilter{Include: data.Include, Exclude: data.Exclude}
	public := strings.Split(annotations[v1.AnnotationPublicKeys], ",")
	for _, key := range data.Include {
		declared := slices.ContainsFunc(public, func(declared string) bool { return strings.TrimSpace(declared) == key })
		if declared || !filter.Keeps(key) {
			continue
		}
		return Problem{
			Reason:  v1.ReasonSourceNotProjectable,
			Message: fmt.Sprintf("the owner of %s %s/%s does not declare the key %s public", source.Kind, source.Namespace, source.Name, key),
			Advice:  "the owner has to add it to the annotation " + v1.AnnotationPublicKeys,
		}
	}
	return Problem{}
}
