package oracle

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
)

// layer is what a rule merges with its source.
type layer struct {
	Place
	optional bool
	// selector selects the layers at the place, which has no name; nil: the rule names the layer.
	selector *v1.SourceSelector
	// isSource tells whether it is selected as a source.
	isSource bool
}

// layersOf returns the layers of a rule, in their order.
func layersOf(merge *v1.Merge, source v1.SourceRef) (layers []layer) {
	if merge == nil {
		return nil
	}
	if source.Selector != nil {
		layers = append(layers, layer{Place{schema.GroupKind{Kind: source.Kind}, source.Namespace, ""}, true, source.Selector, true})
	}
	for _, each := range merge.Layers {
		kind := each.Kind
		if kind == "" {
			kind = source.Kind
		}
		layers = append(layers, layer{Place{schema.GroupKind{Kind: kind}, each.Namespace, each.Name}, each.Optional, each.Selector, false})
	}
	return layers
}

// mightSelect tells whether a selector of the rule is about objects like the one that is named; then it is asked for, whether it matches or not.
func mightSelect(rule Rule, name string) (Place, bool) {
	for _, each := range wishOf(rule).layers {
		at := each.Place
		at.Name = name[strings.LastIndex(name, "/")+1:]
		if each.selector != nil && refOfSource(at) == name {
			return at, true
		}
	}
	return Place{}, false
}

// isDenied tells whether the copy names a layer whose owner does not consent, or that its rule does not name.
func (w *world) isDenied(copied *unstructured.Unstructured, rule Rule, wish wish) bool {
	named := copied.GetAnnotations()[v1.AnnotationLayers]
	if named == "" || named == "none" {
		return false
	}
	return slices.ContainsFunc(strings.Split(named, ","), func(name string) bool {
		at := slices.IndexFunc(wish.layers, func(each layer) bool { return refOfSource(each.Place) == name })
		var place Place
		if at >= 0 {
			place = wish.layers[at].Place
		} else if former, might := mightSelect(rule, name); might {
			place = former
		} else {
			return true
		}
		object, why := w.consenting(place)
		isMissing := slices.Contains(why, v1.ReasonSourceDeleted)
		return object == nil && !isMissing || object != nil && !declaresPublic(object, wish)
	})
}

// namesOf returns the annotation that names the layers of a rule that merges; empty if it does not.
func namesOf(merges bool, layers []*unstructured.Unstructured) string {
	if merges && len(layers) == 0 {
		return "none"
	}
	var names []string
	for _, each := range layers {
		if name := sourceOf(each); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// withLayers returns the content with the keys of the layers, which are ConfigMaps or Secrets as the rule converts them.
func withLayers(content *unstructured.Unstructured, layers []*unstructured.Unstructured, policy v1.KeyConflictPolicy) *unstructured.Unstructured {
	if len(layers) == 0 {
		return content
	}
	result := content.DeepCopy()
	values := map[string][]string{}
	for _, each := range append([]*unstructured.Unstructured{content}, layers...) {
		data, _ := each.Object["data"].(map[string]any)
		for key, value := range data {
			text, _ := value.(string)
			values[key] = append(values[key], text)
		}
	}
	data := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		all := values[key]
		differs := slices.ContainsFunc(all, func(value string) bool { return value != all[0] })
		switch {
		case !differs || policy == v1.KeyConflictFirst:
			data[key] = all[0]
		case policy == v1.KeyConflictLast:
			data[key] = all[len(all)-1]
		default:
			data[key] = joined(all, content.GetKind() == "Secret")
		}
	}
	result.Object["data"] = data
	return result
}

// joined returns the values one after the other, each on lines of its own, and equal ones once.
func joined(values []string, encoded bool) string {
	var lines []string
	for _, value := range values {
		if encoded {
			decoded, _ := base64.StdEncoding.DecodeString(value)
			value = string(decoded)
		}
		value = strings.TrimSuffix(value, "\n")
		if value != "" && !slices.Contains(lines, value) {
			lines = append(lines, value)
		}
	}
	text := strings.Join(lines, "\n") + "\n"
	if encoded {
		return base64.StdEncoding.EncodeToString([]byte(text))
	}
	return text
}

// placesOf returns where the layers are.
func placesOf(layers []layer) (places []Place) {
	for _, each := range layers {
		places = append(places, each.Place)
	}
	return places
}
