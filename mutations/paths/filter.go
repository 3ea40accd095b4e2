package paths

import "slices"

// Only returns what of the content is at or below the paths. Maps and lists on the way to it have nothing else. Elements of a list that
// [key=value] has selected keep these keys, without which nobody could tell which elements they are. The content stays as it is.
func Only(content map[string]any, kept []Path) map[string]any {
	found, _ := only(content, stepsOf(kept))
	fields, _ := found.(map[string]any)
	return fields
}

// Remove removes from the content what is at or below the paths. A map of which nothing is left stays as an empty one; a list of which
// nothing is left goes.
func Remove(content map[string]any, removed []Path) {
	_, _ = without(content, stepsOf(removed))
}

func stepsOf(of []Path) [][]Step {
	all := make([][]Step, len(of))
	for i, path := range of {
		all[i] = path.steps
	}
	return all
}

// only returns what of the value is at or below one of the paths, and whether anything is.
func only(value any, below [][]Step) (any, bool) {
	if slices.ContainsFunc(below, ends) {
		return value, true
	}
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for field, inner := range value {
			if found, some := only(inner, into(field, below)); some {
				kept[field] = found
			}
		}
		return kept, len(kept) > 0
	case []any:
		var kept []any
		for _, element := range value {
			selected := among(element, below)
			if found, some := only(element, restOf(selected)); some {
				kept = append(kept, withKeys(found, element, selected))
			}
		}
		return kept, len(kept) > 0
	default:
		return nil, false
	}
}

// withKeys returns what was found of an element, with the keys by which the paths have selected the element.
func withKeys(found, element any, selected [][]Step) any {
	kept, isKept := found.(map[string]any)
	whole, isMap := element.(map[string]any)
	if isKept && isMap {
		for _, path := range selected {
			for _, condition := range path[0].Where {
				kept[condition.Key] = whole[condition.Key]
			}
		}
	}
	return found
}

// without returns the value without what is at or below one of the paths, and false if it is a list of which nothing is left. It changes
// maps in place.
func without(value any, below [][]Step) (any, bool) {
	switch value := value.(type) {
	case map[string]any:
		for field, inner := range value {
			rest := into(field, below)
			if slices.ContainsFunc(rest, ends) {
				delete(value, field)
			} else if left, some := without(inner, rest); some {
				value[field] = left
			} else {
				delete(value, field)
			}
		}
	case []any:
		kept := make([]any, 0, len(value))
		for _, element := range value {
			rest := restOf(among(element, below))
			if slices.ContainsFunc(rest, ends) {
				continue
			}
			if left, some := without(element, rest); some {
				kept = append(kept, left)
			}
		}
		return kept, len(kept) > 0 || len(value) == 0
	}
	return value, true
}

func ends(path []Step) bool { return len(path) == 0 }

// into returns the rests of the paths that lead to the field of a map.
func into(field string, below [][]Step) (rests [][]Step) {
	for _, path := range below {
		if path[0].Field != "" && path[0].Field == field {
			rests = append(rests, path[1:])
		}
	}
	return rests
}

// among returns the paths that lead to the element of a list.
func among(element any, below [][]Step) (selected [][]Step) {
	for _, path := range below {
		if path[0].selects(element) {
			selected = append(selected, path)
		}
	}
	return selected
}

// restOf returns the paths without their first steps.
func restOf(below [][]Step) (rests [][]Step) {
	for _, path := range below {
		rests = append(rests, path[1:])
	}
	return rests
}
