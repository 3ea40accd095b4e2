package paths

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// BlockedError says that a path leads to no place where a value can be.
type BlockedError struct {
	// Path is the path.
	Path Path
	// Reason says what is in the way. It quotes no value.
	Reason string
}

func (e *BlockedError) Error() string { return fmt.Sprintf("%s cannot be set: %s", e.Path, e.Reason) }

// Set returns the content with the value at the path. Maps on the way are made; elements of lists have to be there, and [*] stands for those
// that are, even if there are none. The content stays as it is, and the result shares with it whatever is not on the way. An error is a
// BlockedError.
func Set(content map[string]any, at Path, value any) (map[string]any, error) {
	changed, err := set(content, at.steps, value)
	if err != nil {
		return nil, &BlockedError{Path: at, Reason: err.Error()}
	}
	fields, _ := changed.(map[string]any)
	return fields, nil
}

func set(content any, steps []Step, value any) (any, error) {
	if len(steps) == 0 {
		return value, nil
	}
	if steps[0].Field == "" {
		return setElements(content, steps, value)
	}
	fields, isMap := content.(map[string]any)
	if !isMap && content != nil {
		return nil, fmt.Errorf("what should have the field %q is no map", steps[0].Field)
	}
	inner, found := fields[steps[0].Field]
	if !found && !isMade(steps[1:]) {
		if where := slices.IndexFunc(steps[1:], func(s Step) bool { return s.Field == "" }); len(steps[1+where].Where) > 0 {
			return nil, errNoElement
		}
		return content, nil
	}
	changed, err := set(inner, steps[1:], value)
	if err != nil {
		return nil, err
	}
	fields = maps.Clone(fields)
	if fields == nil {
		fields = map[string]any{}
	}
	fields[steps[0].Field] = changed
	return fields, nil
}

// isMade reports whether a field that is not there is made for what the steps lead to: no list is made.
func isMade(steps []Step) bool {
	return !slices.ContainsFunc(steps, func(s Step) bool { return s.Field == "" })
}

var errNoElement = errors.New("the list has no such element")

func setElements(content any, steps []Step, value any) (any, error) {
	list, ok := content.([]any)
	if !ok {
		return nil, errors.New("what should have elements is no list")
	}
	changed, selected := slices.Clone(list), false
	for i, element := range list {
		if !steps[0].selects(element) {
			continue
		}
		selected = true
		inner, err := set(element, steps[1:], value)
		if err != nil {
			return nil, err
		}
		changed[i] = inner
	}
	if !selected && len(steps[0].Where) > 0 {
		return nil, errNoElement
	}
	return changed, nil
}
