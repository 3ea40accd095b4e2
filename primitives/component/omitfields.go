package component

import (
	"fmt"
	"strings"
)

// eachItem is the segment of a path that stands for all items of a list.
const eachItem = "[*]"

// OmitFields has fields left out of what is sent to the API server; the object of the resource keeps them. Names are
// separated by dots, and [*] after a name goes into each item of a list. A path that leads nowhere has no effect. It is for
// CRDs whose schema knows less than the Go type.
//
// Example: OmitFields("spec.volumeClaimTemplates[*].status") for a CRD that embeds claims, whose Go type always has a status.
func OmitFields(paths ...string) ResourceOption {
	return func(c *resourceConfig) {
		for _, text := range paths {
			path, err := parsePath(text)
			if err != nil {
				c.faults = append(c.faults, err)
			}
			c.omit = append(c.omit, path)
		}
	}
}

// fieldPath are names of fields, and eachItem.
type fieldPath []string

func parsePath(text string) (fieldPath, error) {
	path := fieldPath(strings.Split(strings.ReplaceAll(text, eachItem, "."+eachItem), "."))
	for i, segment := range path {
		misplaced := segment == eachItem && (i == 0 || i == len(path)-1)
		if segment == "" || misplaced || segment != eachItem && strings.ContainsAny(segment, "[]*") {
			return nil, fmt.Errorf("resource option OmitFields: %q is not a path such as spec.items[*].status", text)
		}
	}
	return path, nil
}

// removeFrom removes the field from a map, or from each item of a list.
func (p fieldPath) removeFrom(value any) {
	switch value := value.(type) {
	case map[string]any:
		if len(p) == 1 {
			delete(value, p[0])
			return
		}
		p[1:].removeFrom(value[p[0]])
	case []any:
		if p[0] != eachItem {
			return
		}
		for _, item := range value {
			p[1:].removeFrom(item)
		}
	}
}
