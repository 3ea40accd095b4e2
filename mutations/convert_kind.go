package mutations

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
)

// opaque is the type of Secrets without a meaning to Kubernetes.
const opaque = "Opaque"

// convertKind makes a Secret of a ConfigMap, or a ConfigMap of the keys of a Secret that are named one by one. What the other kind does
// not have goes, and so do the annotations of a Secret: more people may read a ConfigMap, and tools keep whole objects in annotations. Only
// the names of the keys are annotated.
func convertKind(in Input) unstructured.Mutation {
	to := in.KindOfCopies()
	return mutation(ConvertKind, feature.NewBooleanGate(to != in.Kind), func(content map[string]any) error {
		var converted map[string]any
		switch {
		case in.Kind == configMap && to == secret:
			converted = secretFrom(content)
		case in.Kind == secret && to == configMap:
			if included := in.Content.Data.Include; len(included) == 0 || slices.ContainsFunc(included, IsPattern) {
				return inputError("a Secret is copied as a ConfigMap only with keys that are named one by one")
			}
			converted = configMapFrom(content)
			published := map[string]any{v1.AnnotationPublishedKeys: strings.Join(namedKeys(in.Content.Data), ",")}
			if err := uns.SetNestedMap(content, published, metadataField, annotationsField); err != nil {
				return err
			}
		default:
			return inputError("a %s cannot be copied as a %s", in.Kind, to)
		}
		for _, field := range []string{metadataField, "immutable"} {
			if value, found := content[field]; found {
				converted[field] = value
			}
		}
		converted["apiVersion"], converted["kind"] = "v1", to.Kind
		clear(content)
		maps.Copy(content, converted)
		return nil
	})
}

// namedKeys returns the keys of the source that the filter names and keeps, sorted.
func namedKeys(data DataFilter) []string {
	filter := KeyFilter{Include: data.Include, Exclude: data.Exclude}
	keys := slices.DeleteFunc(slices.Clone(data.Include), func(key string) bool { return !filter.Keeps(key) })
	slices.Sort(keys)
	return slices.Compact(keys)
}

func secretFrom(content map[string]any) map[string]any {
	data := map[string]any{}
	maps.Copy(data, child(content, binaryDataField))
	for key, value := range child(content, dataField) {
		if text, ok := value.(string); ok {
			value = base64.StdEncoding.EncodeToString([]byte(text))
		}
		data[key] = value
	}
	return withEntries(map[string]any{"type": opaque}, dataField, data)
}

// configMapFrom returns values that are text in data, and others in binaryData.
func configMapFrom(content map[string]any) map[string]any {
	data, binary := map[string]any{}, map[string]any{}
	for key, value := range child(content, dataField) {
		encoded, _ := value.(string)
		decoded, err := base64.StdEncoding.DecodeString(encoded)
		if _, isString := value.(string); isString && err == nil && utf8.Valid(decoded) {
			data[key] = string(decoded)
		} else {
			binary[key] = value
		}
	}
	return withEntries(withEntries(map[string]any{}, dataField, data), binaryDataField, binary)
}

// withEntries returns the content with the entries, if there are any.
func withEntries(content map[string]any, field string, entries map[string]any) map[string]any {
	if len(entries) > 0 {
		content[field] = entries
	}
	return content
}
