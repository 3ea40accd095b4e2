package expressions

import (
	"encoding/base64"
	"math"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// converter makes a value of JSON of the result of an expression.
type converter struct {
	// encodes reports whether texts are encoded in base64, as in the data of a Secret.
	encodes bool
	// isKey reports whether the value is that of a key of a ConfigMap or Secret that may have content of a Secret. It is a text: an API server
	// that refuses other values quotes the keys of maps.
	isKey bool
	// left is how many bytes the JSON may have still.
	left int
}

// convert returns the value as JSON has it, with integers as int64. An error is an EvaluationError.
func (c *converter) convert(result ref.Val, depth int) (any, error) {
	if depth > maxDepth {
		return nil, notConvertible("the result is nested deeper than %d levels", maxDepth)
	}
	switch result := result.(type) {
	case types.Bytes:
		return c.text(base64.StdEncoding.EncodeToString(result))
	case types.String:
		if c.encodes {
			return c.text(base64.StdEncoding.EncodeToString([]byte(result)))
		}
		return c.text(string(result))
	}
	if c.isKey {
		return nil, notConvertible("the result is of type %s, and the value of a key is a string or bytes", typeOf(result))
	}
	switch result := result.(type) {
	case traits.Mapper:
		return c.convertMap(result, depth)
	case traits.Lister:
		return c.convertList(result, depth)
	}
	return c.scalar(result)
}

func (c *converter) scalar(result ref.Val) (any, error) {
	const longest = 24 // digits of a number
	if err := c.take(longest); err != nil {
		return nil, err
	}
	switch result := result.(type) {
	case types.Bool:
		return bool(result), nil
	case types.Int:
		return int64(result), nil
	case types.Uint:
		if result > math.MaxInt64 {
			return nil, notConvertible("the result is a number above %d", math.MaxInt64)
		}
		return int64(result), nil
	case types.Double:
		if math.IsNaN(float64(result)) || math.IsInf(float64(result), 0) {
			return nil, notConvertible("the result is not a number of JSON")
		}
		return float64(result), nil
	case types.Timestamp, types.Duration:
		text, _ := result.ConvertToType(types.StringType).(types.String)
		return c.text(string(text))
	case types.Null:
		return nil, notConvertible("the result is null; optional.none() leaves the field as it is")
	default:
		return nil, notConvertible("the result is of type %s, which is no value of JSON", typeOf(result))
	}
}

func (c *converter) convertMap(result traits.Mapper, depth int) (any, error) {
	const braces = 2
	if err := c.take(braces); err != nil {
		return nil, err
	}
	converted := map[string]any{}
	for entries := ordered(result).(traits.Mapper).Iterator(); entries.HasNext() == types.True; {
		key := entries.Next()
		name, ok := key.(types.String)
		if !ok {
			return nil, notConvertible("the result is a map with keys of type %s, and those of JSON are strings", typeOf(key))
		}
		if _, err := c.text(string(name)); err != nil {
			return nil, err
		}
		inner, err := c.convert(result.Get(key), depth+1)
		if err != nil {
			return nil, err
		}
		converted[string(name)] = inner
	}
	return converted, nil
}

func (c *converter) convertList(result traits.Lister, depth int) (any, error) {
	const brackets = 2
	if err := c.take(brackets); err != nil {
		return nil, err
	}
	converted := []any{}
	for elements := result.Iterator(); elements.HasNext() == types.True; {
		inner, err := c.convert(elements.Next(), depth+1)
		if err != nil {
			return nil, err
		}
		converted = append(converted, inner)
	}
	return converted, nil
}

func (c *converter) text(text string) (any, error) {
	const quotes = 3 // and a comma
	if err := c.take(len(text) + quotes); err != nil {
		return nil, err
	}
	if !utf8.ValidString(text) {
		return nil, notConvertible("the result is no text in UTF-8")
	}
	return text, nil
}

func (c *converter) take(bytes int) error {
	if c.left -= bytes; c.left < 0 {
		return notConvertible("the result is larger than %d KiB", maxValue>>10)
	}
	return nil
}

func typeOf(value ref.Val) string { return value.Type().TypeName() }
