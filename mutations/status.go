package mutations

import "projection.sh/operator/primitives/unstructured"

// dropStatus drops what the copy's own controllers have to say.
func dropStatus() unstructured.Mutation {
	return always(DropStatus, func(content map[string]any) { delete(content, "status") })
}
