package migrate

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

// content leaves out the labels and annotations of the source that no copy has.
func (s *Survey) content(it *group, source *source) v1.Content {
	var hasLabels, hasAnnotations []string
	for _, ref := range it.copies {
		hasLabels = append(hasLabels, s.copies[ref].labels...)
		hasAnnotations = append(hasAnnotations, s.copies[ref].annotations...)
	}
	if len(it.copies) == 0 {
		return v1.Content{}
	}
	return v1.Content{
		Labels:      v1.KeyFilter{Exclude: lacking(source.labels, hasLabels)},
		Annotations: v1.KeyFilter{Exclude: lacking(source.annotations, hasAnnotations)},
	}
}

// maxKeys is how many keys a filter of a rule may list.
const maxKeys = 64

// lacking returns the keys that a rule would copy, and that are on no copy.
func lacking(entries map[string]string, copied []string) []v1.KeyPattern {
	var keys []v1.KeyPattern
	for key, value := range entries {
		if isCopied(key, value) && !slices.Contains(copied, key) {
			keys = append(keys, key)
		}
	}
	if len(keys) > maxKeys {
		return []v1.KeyPattern{"*"}
	}
	slices.Sort(keys)
	return keys
}

// isCopied reports whether a rule copies the label or annotation, unless it says something else.
func isCopied(key, value string) bool {
	_, isMark := mutations.ToolMarkOf(key, value)
	return !isMark && key != corev1.LastAppliedConfigAnnotation && !strings.HasPrefix(key, v1.Domain+"/")
}
