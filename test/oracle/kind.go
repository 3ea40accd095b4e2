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

// declaresPublic reports whether the owner of the source declares every key public that the rule publishes.
func declaresPublic(source *unstructured.Unstructured, w wish) bool {
	if !w.publishes() {
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
