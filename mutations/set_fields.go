package mutations

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"projection.sh/operator/mutations/paths"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
)

// FieldValue is a value for a field of the copies.
type FieldValue struct {
	// Path is where the value goes, as package paths reads it. Of metadata, it is the path of one label or one annotation.
	Path string
	// Value is a value of JSON. It is not changed.
	Value any
}

// setFields sets fields to values, in their order.
func setFields(values []FieldValue) unstructured.Mutation {
	return mutation(SetFields, feature.NewBooleanGate(len(values) > 0), func(content map[string]any) error {
		changed, err := withValues(content, values)
		if err != nil {
			return err
		}
		clear(content)
		maps.Copy(content, changed)
		return nil
	})
}

// withValues returns the content with the values at their paths. The content stays as it is. An error is an InputError if a path is not
// one that can be set in any object, and a SourceError if it is not one of this object.
func withValues(content map[string]any, values []FieldValue) (map[string]any, error) {
	for _, value := range values {
		path, err := overlayPath(value.Path)
		if err != nil {
			return nil, err
		}
		if err := checkMetadata(path, value.Value); err != nil {
			return nil, err
		}
		if content, err = paths.Set(content, path, value.Value); err != nil {
			return nil, sourceError("%s", err)
		}
	}
	return content, nil
}

// CheckValues returns the error that these values would be for a copy that is rendered from the content: that of set-fields or of
// refuse-credentials. It changes nothing.
func CheckValues(in Input, content map[string]any, values []FieldValue) error {
	changed, err := withValues(content, values)
	if err != nil {
		return err
	}
	return checkCredential(in.KindOfCopies(), changed)
}

// CheckPath returns an InputError if the path is not one that set-fields can set in any object.
func CheckPath(text string) error {
	_, err := overlayPath(text)
	return err
}

func overlayPath(text string) (paths.Path, error) {
	path, err := paths.Parse(text)
	if err != nil {
		return path, &InputError{Message: err.Error()}
	}
	steps := path.Steps()
	if steps[0].Field != metadataField {
		if slices.Contains(notContent, steps[0].Field) {
			return path, inputError("%s is not among the fields that can be set", path)
		}
		return path, nil
	}
	const key = 3 // the steps to a label or an annotation
	if len(steps) != key || !slices.Contains([]string{labelsField, annotationsField}, steps[1].Field) || steps[2].Field == "" {
		return path, inputError("%s is not among the fields that can be set: of metadata, these are single labels and annotations", path)
	}
	if reserved(steps[2].Field) {
		return path, inputError("%s belongs to the operator", path)
	}
	return path, nil
}

// checkMetadata checks the value of a label or an annotation: the API server would refuse the whole copy. It quotes no value.
func checkMetadata(path paths.Path, value any) error {
	steps := path.Steps()
	if steps[0].Field != metadataField {
		return nil
	}
	kind, key := strings.TrimSuffix(steps[1].Field, "s"), steps[2].Field
	text, ok := value.(string)
	if !ok {
		return sourceError("%s cannot be set: the value of %s %s is a string", path, article(kind), kind)
	}
	problems := validation.IsQualifiedName(strings.ToLower(key))
	if kind == "label" {
		problems = slices.Concat(validation.IsQualifiedName(key), validation.IsValidLabelValue(text))
	}
	if len(problems) > 0 {
		return sourceError("%s cannot be set: %s", path, strings.Join(problems, ", "))
	}
	return nil
}

func article(noun string) string {
	if noun[0] == 'a' {
		return "an"
	}
	return "a"
}
