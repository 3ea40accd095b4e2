package expressions

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/cel-go/common/types"
)

// Field is a field of the copies and the expression for its value.
type Field struct {
	Path, Expression string
	// Data reports whether the path is at or below the data of a ConfigMap or Secret. Only there, expressions see the data of a
	// Secret.
	Data bool
}

// Fields are fields with compiled expressions.
type Fields struct {
	fields      []Field
	expressions []*Expression
	names       Names
}

// FieldError is a CompileError or an EvaluationError of the expression of one field.
type FieldError struct {
	// Index is the position of the field in the list, beginning with 0.
	Index int
	Err   error
}

func (e *FieldError) Error() string { return fmt.Sprintf("overlay.fields[%d]: %v", e.Index, e.Err) }

// Unwrap returns the error of the expression.
func (e *FieldError) Unwrap() error { return e.Err }

// CompileFields compiles the expressions of a rule of the tenant. An error is a FieldError with a CompileError.
func CompileFields(tenant string, list []Field) (*Fields, error) {
	return ofRules.compileFields(tenant, list)
}

func (d *dialect) compileFields(tenant string, list []Field) (*Fields, error) {
	compiled := &Fields{fields: list}
	for i, field := range list {
		expression, err := d.compile(tenant, field.Expression)
		if err != nil {
			return nil, &FieldError{Index: i, Err: err}
		}
		compiled.expressions = append(compiled.expressions, expression)
		compiled.names = compiled.names.Or(expression.Names())
	}
	return compiled, nil
}

// Names returns what the expressions name.
func (f *Fields) Names() Names { return f.names }

// Source is a source as expressions see it.
type Source struct {
	// Object is the source. The data of a Secret are encoded, as in JSON.
	Object map[string]any
	// IsSecret reports whether the object is a Secret. Its data are bytes, and what is set there is encoded.
	IsSecret bool
	// Secrecy reports whether the object has content of a Secret. Only expressions for values at or below the data see the data, and no
	// error quotes what an expression reads.
	Secrecy bool
}

// Value is the value of a field.
type Value struct {
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// Values are the values of fields for one source. They are safe for concurrent use.
type Values struct {
	stopwatch

	fields *Fields
	source Source
	// open and hidden are the object with and without its data.
	open, hidden map[string]any
	// shared are the values that are the same for each target, by their indexes, and size is how many bytes they have.
	shared map[int]result
	size   int
}

// result is what an expression gives; it may be no value.
type result struct {
	value   any
	present bool
	size    int
}

// Evaluate evaluates the expressions that do not name the target. An error is a FieldError with an EvaluationError.
func (f *Fields) Evaluate(source Source, timing Timing) (*Values, error) {
	values := &Values{stopwatch: stopwatch{timing: timing}, fields: f, source: source, open: source.Object, hidden: source.Object, shared: map[int]result{}}
	if source.IsSecret {
		values.open = withDecodedData(source.Object)
	}
	if source.Secrecy {
		values.hidden = withoutData(source.Object)
	}
	if !slices.ContainsFunc(f.expressions, func(e *Expression) bool { return !e.Names().Target }) {
		return values, nil
	}
	err := values.timed(costOfSource, func(spent *meter) error {
		for i, expression := range f.expressions {
			if expression.Names().Target {
				continue
			}
			given, err := values.evaluate(i, Target{}, spent)
			if err != nil {
				return err
			}
			values.shared[i] = given
			values.size += given.size
		}
		return values.checkSize(len(f.fields)-1, values.size)
	})
	return values, err
}

// Of returns the values for a target, in the order of the fields. A field whose expression gives optional.none() has none. An error is a
// FieldError with an EvaluationError.
func (v *Values) Of(target Target) (values []Value, err error) {
	if !v.fields.names.Target {
		return v.all(v.shared), nil
	}
	results := maps.Clone(v.shared)
	err = v.timed(costOfTarget, func(spent *meter) error {
		size := v.size
		for i := range v.fields.fields {
			if _, isShared := v.shared[i]; isShared {
				continue
			}
			given, err := v.evaluate(i, target, spent)
			if err != nil {
				return err
			}
			results[i] = given
			size += given.size
		}
		return v.checkSize(len(v.fields.fields)-1, size)
	})
	return v.all(results), err
}

// all returns the values of the fields that have one.
func (v *Values) all(results map[int]result) []Value {
	values := make([]Value, 0, len(results))
	for i, field := range v.fields.fields {
		if results[i].present {
			values = append(values, Value{Path: field.Path, Value: results[i].value})
		}
	}
	return values
}

func (v *Values) checkSize(index, size int) error {
	if size > maxValues {
		return &FieldError{Index: index, Err: notConvertible("all values of a copy together are larger than %d KiB", maxValues>>10)}
	}
	return nil
}

func (v *Values) evaluate(index int, target Target, spent *meter) (given result, err error) {
	object := v.hidden
	if v.fields.fields[index].Data {
		object = v.open
	}
	evaluated, err := v.fields.expressions[index].evaluate(object, target, spent)
	if err != nil {
		return result{}, &FieldError{Index: index, Err: err}
	}
	if optional, ok := evaluated.(*types.Optional); ok {
		if !optional.HasValue() {
			return result{}, nil
		}
		evaluated = optional.GetValue()
	}
	isData := v.fields.fields[index].Data
	converter := converter{encodes: v.source.IsSecret && isData, isKey: v.source.Secrecy && isData, left: maxValue}
	if given.value, err = converter.convert(evaluated, 0); err != nil {
		return result{}, &FieldError{Index: index, Err: err}
	}
	given.present, given.size = true, maxValue-converter.left
	return given, nil
}

// Describe returns what an error of an evaluation says of the rule. If there is secrecy, it quotes nothing that an expression reads.
func (s Source) Describe(err error) string {
	var of *FieldError
	var failed *EvaluationError
	switch {
	case !s.Secrecy:
		return err.Error()
	case errors.As(err, &of) && errors.As(of.Err, &failed):
		return (&FieldError{Index: of.Index, Err: errors.New(failed.Redacted())}).Error()
	default:
		return string(Failed)
	}
}

const dataField = "data"

// withDecodedData returns the Secret with bytes in its data. A value that cannot be decoded stays as it is.
func withDecodedData(object map[string]any) map[string]any {
	data, ok := object[dataField].(map[string]any)
	if !ok {
		return object
	}
	decoded := make(map[string]any, len(data))
	for key, value := range data {
		decoded[key] = value
		if text, isText := value.(string); isText {
			if bytes, err := base64.StdEncoding.DecodeString(text); err == nil {
				decoded[key] = bytes
			}
		}
	}
	object = maps.Clone(object)
	object[dataField] = decoded
	return object
}

// withoutData returns the object without the fields that have content of a Secret.
func withoutData(object map[string]any) map[string]any {
	object = maps.Clone(object)
	for _, field := range []string{dataField, "binaryData", "stringData"} {
		delete(object, field)
	}
	return object
}
