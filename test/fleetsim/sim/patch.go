package sim

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// patched returns the object with a patch that knows nothing of fields' owners.
func (c call) patched(of types.PatchType, present runtime.Object, patch []byte) (runtime.Object, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(present)
	if err != nil {
		return nil, err
	}
	if of == types.JSONPatchType {
		content, err = jsonPatched(content, patch)
	} else {
		var merged map[string]any
		if err = json.Unmarshal(patch, &merged); err == nil {
			content = mergePatched(content, merged)
		}
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	next, err := c.kind.newObject()
	if err != nil {
		return nil, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, next); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	next.GetObjectKind().SetGroupVersionKind(c.kind.gvk())
	return next, nil
}

// mergePatched returns the object with a patch by the rules of RFC 7386.
func mergePatched(object, patch map[string]any) map[string]any {
	merged := maps.Clone(object)
	if merged == nil {
		merged = map[string]any{}
	}
	for name, value := range patch {
		switch typed := value.(type) {
		case nil:
			delete(merged, name)
		case map[string]any:
			within, _ := merged[name].(map[string]any)
			merged[name] = mergePatched(within, typed)
		default:
			merged[name] = value
		}
	}
	return merged
}

// operation is one of a JSON patch.
type operation struct {
	Op, Path string
	Value    any
}

// jsonPatched returns the object with a patch by the rules of RFC 6902, whose paths lead to keys of maps.
func jsonPatched(object map[string]any, patch []byte) (map[string]any, error) {
	var operations []operation
	if err := json.Unmarshal(patch, &operations); err != nil {
		return nil, err
	}
	object = runtime.DeepCopyJSON(object)
	for _, o := range operations {
		parts := strings.Split(strings.TrimPrefix(o.Path, "/"), "/")
		for i := range parts {
			parts[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(parts[i])
		}
		parent, last := object, parts[len(parts)-1]
		for _, part := range parts[:len(parts)-1] {
			parent, _ = parent[part].(map[string]any)
		}
		_, exists := parent[last]
		switch {
		case parent == nil, !exists && o.Op != "add", !slices.Contains([]string{"add", "replace", "remove"}, o.Op):
			return nil, apierrors.NewBadRequest("the patch " + o.Op + " " + o.Path + " is not possible")
		case o.Op == "remove":
			delete(parent, last)
		default:
			parent[last] = o.Value
		}
	}
	return object, nil
}
