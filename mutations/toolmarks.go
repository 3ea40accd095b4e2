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
	_, found := ToolMarkOf(key, value)
	return found
}

// ToolMark is a label or annotation by which a tool finds the objects that are its own.
type ToolMark struct {
	// Tool is the name of the tool.
	Tool string
	// Role is what the tool takes the object for.
	Role MarkRole
}

// MarkRole is what a tool takes an object for that bears its mark.
type MarkRole int

const (
	// MarkOfManaged is on objects that the tool manages.
	MarkOfManaged MarkRole = iota
	// MarkOfCopy is on copies of a tool that makes copies.
	MarkOfCopy
	// MarkOfSource is on the sources of such a tool.
	MarkOfSource
	// MarkOfEither is on sources, and on their copies.
	MarkOfEither
)

// ToolMarkOf returns what mark a label or annotation is, and whether it is one.
func ToolMarkOf(key, value string) (ToolMark, bool) {
	if mark, found := toolMarks[key]; found {
		return mark, true
	}
	if only, found := toolMarkValues[key]; found {
		return only.mark, only.value == value
	}
	for _, tool := range toolMarkPrefixes {
		if strings.HasPrefix(key, tool.prefix) {
			return tool.mark, true
		}
	}
	return ToolMark{}, false
}
