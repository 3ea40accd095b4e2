package mutations

import (
	"strings"

	"projection.sh/operator/primitives/unstructured"
)

// dropToolMarks drops the labels and annotations by which a tool finds the objects that are its own, for such a tool
// changes or prunes whatever bears its mark and is not in its source. Marks that only inform (helm.sh/chart,
// app.kubernetes.io/part-of) or instruct (argocd.argoproj.io/secret-type) stay. An overlay can put any of them back.
func dropToolMarks() unstructured.Mutation {
	return always(DropToolMarks, func(content map[string]any) { removeMarks(content, isToolMark) })
}

func isToolMark(key, value string) bool {
	if toolMarks[key] || toolMarkValues[key] != "" && toolMarkValues[key] == value {
		return true
	}
	for _, prefix := range toolMarkPrefixes {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}
