package paths

import "strconv"

// Path is the path of a field, as Parse returns it.
type Path struct {
	text  string
	steps []Step
}

// String returns the path as it was written.
func (p Path) String() string { return p.text }

// Steps returns the steps of the path, from the object to the field. The caller must not change them.
func (p Path) Steps() []Step { return p.steps }

// Step is one step of a path: to a field of a map, or to elements of a list.
type Step struct {
	// Field is the name of the field; empty: the step is one to elements of a list.
	Field string
	// Where are the values that the elements have; empty: all elements are meant.
	Where []Condition
}

// Condition is a value that an element of a list has.
type Condition struct{ Key, Value string }

// selects reports whether the step is one to this element of a list.
func (s Step) selects(element any) bool {
	if s.Field != "" {
		return false
	}
	if len(s.Where) == 0 {
		return true
	}
	fields, ok := element.(map[string]any)
	if !ok {
		return false
	}
	for _, condition := range s.Where {
		if !condition.HoldsFor(fields[condition.Key]) {
			return false
		}
	}
	return true
}

// HoldsFor reports whether the value of an element is the one of the condition. Numbers and booleans are compared as they are written in
// JSON.
func (c Condition) HoldsFor(value any) bool {
	switch value := value.(type) {
	case string:
		return value == c.Value
	case bool:
		return strconv.FormatBool(value) == c.Value
	case int64:
		return strconv.FormatInt(value, 10) == c.Value
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64) == c.Value
	default:
		return false
	}
}
