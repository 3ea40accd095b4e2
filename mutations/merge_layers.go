package mutations

import (
	"bytes"
	"encoding/base64"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
)

// mergeLayers lays the keys of the layers to those of the source. All but the keys stays that of the source. What a key gets depends on the
// objects that have it and on their order alone.
func mergeLayers(in Input) unstructured.Mutation {
	layers := in.Merge.Layers
	return mutation(MergeLayers, feature.NewBooleanGate(len(layers) > 0), func(content map[string]any) error {
		if !IsReplaceable(in.KindOfCopies()) {
			return inputError("a %s has no keys to merge: only ConfigMaps and Secrets have", in.KindOfCopies().Kind)
		}
		asSecret := in.KindOfCopies() == secret
		found := map[string][]keyValue{}
		if !in.Merge.HasSource {
			collectKeys(found, nameOf(in.Kind, in.Source), content, asSecret)
		}
		for _, layer := range layers {
			collectKeys(found, nameOf(layer.Kind, layer.Source), layer.Content, asSecret)
		}
		merged := map[string]map[string]any{dataField: {}, binaryDataField: {}}
		for _, key := range slices.Sorted(maps.Keys(found)) {
			value, err := in.Merge.OnKeyConflict.valueOf(key, found[key], asSecret)
			if err != nil {
				return err
			}
			merged[value.field][key] = value.value
		}
		for _, field := range dataFields {
			if content[field] = merged[field]; len(merged[field]) == 0 {
				delete(content, field)
			}
		}
		return notePublished(content, layers)
	})
}

// keyValue is the value that an object has for a key.
type keyValue struct {
	object string // its name
	field  string // data or binaryData
	value  any
	// decoded are the bytes; nil if the value is none that the API server would accept.
	decoded []byte
}

// collectKeys adds the keys of the content.
func collectKeys(found map[string][]keyValue, object string, content map[string]any, asSecret bool) {
	for _, field := range dataFields {
		for key, value := range child(content, field) {
			found[key] = append(found[key], keyValue{object, field, value, decode(value, asSecret || field == binaryDataField)})
		}
	}
}

func decode(value any, isEncoded bool) []byte {
	text, ok := value.(string)
	if !ok {
		return nil
	}
	if !isEncoded {
		return append([]byte{}, text...)
	}
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	return append([]byte{}, decoded...)
}

// equals reports whether both values are the same bytes.
func (v keyValue) equals(other keyValue) bool {
	if v.decoded == nil || other.decoded == nil {
		return v.field == other.field && reflect.DeepEqual(v.value, other.value)
	}
	return bytes.Equal(v.decoded, other.decoded)
}

// isText reports whether the value can be joined with others.
func (v keyValue) isText() bool {
	return v.decoded != nil && utf8.Valid(v.decoded) && !bytes.ContainsRune(v.decoded, 0)
}

// valueOf returns the value of a key which these values are of, in their order.
func (c KeyConflict) valueOf(key string, values []keyValue, asSecret bool) (keyValue, error) {
	first, last := values[0], values[len(values)-1]
	other := slices.IndexFunc(values, func(v keyValue) bool { return !v.equals(first) })
	switch {
	case other < 0, c == FirstOnConflict:
		return first, nil
	case c == LastOnConflict:
		return last, nil
	case c == JoinOnConflict:
		return join(key, values, asSecret)
	case c != FailOnConflict && c != "":
		return keyValue{}, inputError("%q says nothing of keys that have different values", string(c))
	default:
		return keyValue{}, sourceError("%s and %s have different values for the key %s", first.object, values[other].object, key)
	}
}

// join returns the values one after the other. Each is ended by a newline, and equal ones are there once.
func join(key string, values []keyValue, asSecret bool) (keyValue, error) {
	var lines []string
	for _, value := range values {
		if !value.isText() {
			return keyValue{}, sourceError("the value of the key %s in %s is not text, and is not joined with that of another object", key, value.object)
		}
		text := string(value.decoded)
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if !slices.Contains(lines, text) {
			lines = append(lines, text)
		}
	}
	joined := strings.Join(lines, "")
	if asSecret {
		joined = base64.StdEncoding.EncodeToString([]byte(joined))
	}
	return keyValue{field: dataField, value: joined}, nil
}

// notePublished annotates a ConfigMap with the keys of Secrets that are among its layers. They are the same for all: content.data names them.
func notePublished(content map[string]any, layers []Layer) error {
	for _, layer := range layers {
		if keys := text(child(layer.Content, metadataField, annotationsField), v1.AnnotationPublishedKeys); keys != "" {
			return uns.SetNestedField(content, keys, metadataField, annotationsField, v1.AnnotationPublishedKeys)
		}
	}
	return nil
}
