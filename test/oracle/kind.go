package oracle

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// publishes reports whether the rule makes ConfigMaps of a Secret.
func (w wish) publishes() bool { return w.source.Kind.Kind == "Secret" && w.kind.Kind == "ConfigMap" }

// publishesOf reports whether the copies are ConfigMaps, and the object among what they are made of is a Secret.
func (w wish) publishesOf(source *unstructured.Unstructured) bool {
	return source.GetKind() == "Secret" && w.kind.Kind == "ConfigMap"
}

// declaresPublic reports whether the owner of the source declares every key public that the rule publishes.
func declaresPublic(source *unstructured.Unstructured, w wish) bool {
	if !w.publishesOf(source) {
		return true
	}
	public := strings.Split(source.GetAnnotations()[v1.AnnotationPublicKeys], ",")
	for i := range public {
		public[i] = strings.TrimSpace(public[i])
	}
	for _, key := range w.content.Data.Include {
		if isChosen(v1.KeyFilter{Exclude: w.content.Data.Exclude}, key) && !slices.Contains(public, key) {
			return false
		}
	}
	return true
}

// publicAnnotations returns the annotations of the source that its copies may have.
func publicAnnotations(source *unstructured.Unstructured, w wish) map[string]string {
	if w.publishes() {
		return nil
	}
	return source.GetAnnotations()
}

// holdsUndeclared reports whether a ConfigMap says that it holds keys of the Secret that the owner of the Secret does not declare public.
func holdsUndeclared(copied, source *unstructured.Unstructured) bool {
	if source == nil || source.GetKind() != "Secret" || copied.GetAnnotations()[v1.AnnotationSource] != sourceOf(source) {
		return false
	}
	keys, published := copied.GetAnnotations()[v1.AnnotationPublishedKeys]
	public := strings.FieldsFunc(source.GetAnnotations()[v1.AnnotationPublicKeys], func(r rune) bool { return r == ',' || r == ' ' })
	return published && slices.ContainsFunc(strings.Split(keys, ","), func(key string) bool { return !slices.Contains(public, key) })
}

// publishedKeys returns the keys that a ConfigMap names which is a copy of a Secret.
func publishedKeys(filter v1.DataFilter) string {
	var keys []string
	for _, key := range filter.Include {
		if isChosen(v1.KeyFilter{Exclude: filter.Exclude}, key) && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return strings.Join(keys, ",")
}

// converted returns the ConfigMap or Secret as one of that kind.
func converted(object *unstructured.Unstructured, kind string) *unstructured.Unstructured {
	if object.GetKind() == kind || kind != "ConfigMap" && kind != "Secret" {
		return object
	}
	made := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind}}
	if immutable, said := object.Object["immutable"]; said {
		made.Object["immutable"] = immutable
	}
	text, bytes := map[string]any{}, map[string]any{}
	for field, values := range map[string]map[string]any{"data": text, "binaryData": bytes} {
		entries, _ := object.Object[field].(map[string]any)
		maps.Copy(values, entries)
	}
	if kind == "Secret" {
		for key, value := range text {
			bytes[key] = base64.StdEncoding.EncodeToString([]byte(value.(string)))
		}
		made.Object["type"], made.Object["data"] = "Opaque", bytes
		return made
	}
	for key, value := range text {
		decoded, err := base64.StdEncoding.DecodeString(value.(string))
		if err != nil || !utf8.Valid(decoded) {
			bytes[key] = value
			delete(text, key)
			continue
		}
		text[key] = string(decoded)
	}
	made.Object["data"], made.Object["binaryData"] = text, bytes
	return made
}
