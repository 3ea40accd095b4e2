package definition

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Fields are the fields that a value can have.
type Fields struct {
	named map[string]*Fields // of an object
	each  *Fields            // of every item of a list, or value of a map
	all   bool               // whatever the value has is known
}

// FieldsOf returns the fields that a type is decoded into, by its JSON tags.
func FieldsOf(t reflect.Type) *Fields {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return &Fields{all: true}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return FieldsOf(t.Elem())
	case reflect.Slice, reflect.Array, reflect.Map:
		return &Fields{each: FieldsOf(t.Elem())}
	case reflect.Interface:
		return &Fields{all: true}
	case reflect.Struct:
		fields := &Fields{named: map[string]*Fields{}}
		for field := range t.Fields() {
			fields.add(field)
		}
		return fields
	default:
		return &Fields{}
	}
}

func (f *Fields) add(field reflect.StructField) {
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	switch {
	case name == "-":
	case field.Anonymous && name == "" || strings.Contains(options, "inline"):
		maps.Copy(f.named, FieldsOf(field.Type).named)
	case field.IsExported() && name == "":
		f.named[field.Name] = FieldsOf(field.Type)
	case field.IsExported():
		f.named[name] = FieldsOf(field.Type)
	}
}

// Unknown returns the sorted paths of the fields that a decoded JSON value has and f does not. It does not look below an
// unknown field. In a path, every item of a list is "[]", and every value of a map is "{}".
//
// Example: the second item of the list "rules" has an unknown field "weight". The path is ".rules[].weight".
func (f *Fields) Unknown(value any) []string {
	paths := f.unknown(value)
	slices.Sort(paths)
	return slices.Compact(paths)
}

func (f *Fields) unknown(value any) []string {
	var paths []string
	beyond := func(step string, known *Fields, below any) {
		if known == nil {
			paths = append(paths, step)
			return
		}
		for _, path := range known.unknown(below) {
			paths = append(paths, step+path)
		}
	}
	switch value := value.(type) {
	case map[string]any:
		for name, below := range value {
			switch known := f.named[name]; {
			case f.all:
			case f.each != nil:
				beyond("{}", f.each, below)
			default:
				beyond("."+name, known, below)
			}
		}
	case []any:
		for _, item := range value {
			if !f.all {
				beyond("[]", f.each, item)
			}
		}
	}
	return paths
}

// sample returns a value that has every field of the OpenAPI schema once.
func sample(schema map[string]any) any {
	if preserved, _ := schema["x-kubernetes-preserve-unknown-fields"].(bool); preserved {
		return map[string]any{"*": nil}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		return []any{sample(items)}
	}
	if values, ok := schema["additionalProperties"].(map[string]any); ok {
		return map[string]any{"*": sample(values)}
	}
	if anything, _ := schema["additionalProperties"].(bool); anything {
		return map[string]any{"*": nil}
	}
	properties, _ := schema["properties"].(map[string]any)
	value := make(map[string]any, len(properties))
	for name, property := range properties {
		of, _ := property.(map[string]any)
		value[name] = sample(of)
	}
	return value
}
