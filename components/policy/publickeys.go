package policy

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

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
	filter, public := mutations.KeyFilter{Include: data.Include, Exclude: data.Exclude}, PublicKeys(annotations)
	for _, key := range data.Include {
		if public.Has(key) || !filter.Keeps(key) {
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

// ArePublic reports whether all of the keys that a ConfigMap holds are among the public ones. They are separated by commas, as in
// v1.AnnotationPublishedKeys. A ConfigMap that names no keys may hold any.
func ArePublic(keys string, public sets.Set[string]) bool {
	return public.HasAll(strings.Split(keys, ",")...)
}

// PublicKeys returns the keys that the owner of a Secret with these annotations declares public.
func PublicKeys(annotations map[string]string) sets.Set[string] {
	public := sets.New[string]()
	for key := range strings.SplitSeq(annotations[v1.AnnotationPublicKeys], ",") {
		public.Insert(strings.TrimSpace(key))
	}
	return public.Delete("")
}
