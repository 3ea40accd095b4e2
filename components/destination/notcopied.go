package destination

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
	"projection.sh/operator/mutations/paths"
)

// notCopied finds the fields of a copy that its rule does not copy.
type notCopied struct {
	include, exclude []paths.Path
	// set are the paths of fields that the rule sets in the copy. They are ours, whatever is copied of the source.
	set []paths.Path
	// varies reports whether the rule sets more in other copies.
	varies bool
	// source is the source as a whole. It shows which elements of a list have the values that a path asks for.
	source map[string]any
	// converted reports whether the copies are of another kind than the source.
	converted bool
	// hasKeys reports whether the copy is a ConfigMap or Secret. Its keys are chosen by other filters, and are never given up: a value
	// that is not copied any more does not stay in the copies.
	hasKeys bool
}

// newNotCopied returns nil if the rule copies all fields. The paths are valid.
func newNotCopied(filter v1.FieldFilter, kind schema.GroupKind, converted bool, source map[string]any) (*notCopied, error) {
	if filter.CopiesAll() {
		return nil, nil
	}
	include, err := paths.ParseAll(filter.Include)
	if err != nil {
		return nil, err
	}
	exclude, err := paths.ParseAll(filter.Exclude)
	if err != nil {
		return nil, err
	}
	return &notCopied{include: include, exclude: exclude, source: source, converted: converted, hasKeys: mutations.IsReplaceable(kind)}, nil
}

// with returns what is not copied of a copy in which the rule sets these fields, of so many that it may set.
//
// Example: the rule excludes spec.replicas, and sets it for one namespace. For others, its expression is optional.none(): their copies give
// the field up, and an autoscaler keeps its value.
func (n *notCopied) with(set []mutations.FieldValue, of int) (*notCopied, error) {
	if n == nil {
		return nil, nil
	}
	texts := make([]string, len(set))
	for i, value := range set {
		texts[i] = value.Path
	}
	filter := *n
	var err error
	filter.set, err = paths.ParseAll(texts)
	filter.varies = len(set) < of
	return &filter, err
}

// among returns those fields of the set that are not copied.
func (n *notCopied) among(set *fieldpath.Set) *fieldpath.Set {
	found := fieldpath.NewSet()
	set.Iterate(func(field fieldpath.Path) {
		ofConversion := n.converted && isType(field) // the type of a ConfigMap that is copied as a Secret is not that of its source
		if !isMetadata(field) && !ofConversion && !(n.hasKeys && isData(field)) && !n.isCopied(field) {
			found.Insert(field.Copy())
		}
	})
	return found
}

func isMetadata(field fieldpath.Path) bool {
	return len(field) == 0 || field[0].FieldName == nil || slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, *field[0].FieldName)
}

func isData(field fieldpath.Path) bool {
	return slices.Contains([]string{"data", "binaryData", "stringData"}, *field[0].FieldName)
}

func isType(field fieldpath.Path) bool { return *field[0].FieldName == "type" }

func (n *notCopied) isCopied(field fieldpath.Path) bool {
	isBelow := func(path paths.Path) bool { return n.relationTo(path.Steps(), field) == below }
	if slices.ContainsFunc(n.set, isBelow) {
		return true
	}
	isNear := func(path paths.Path) bool { return n.relationTo(path.Steps(), field) != elsewhere }
	return (len(n.include) == 0 || slices.ContainsFunc(n.include, isNear)) && !slices.ContainsFunc(n.exclude, isBelow)
}

// relation is where a field is, seen from a path.
type relation int

const (
	elsewhere relation = iota
	// onTheWay is a map or a list that contains the path, or a value by which the path selects an element.
	onTheWay
	// below is at the end of the path, or below that.
	below
)

// relationTo returns where the field is, seen from the path.
func (n *notCopied) relationTo(path []paths.Step, field fieldpath.Path) relation {
	var at any = n.source
	for i, step := range path {
		if i == len(field) {
			return onTheWay
		}
		inside := descend(at, field[i])
		if !leadsTo(step, field[i], inside) {
			if i > 0 && i == len(field)-1 && isKeyOf(path[i-1], field[i]) {
				return onTheWay
			}
			return elsewhere
		}
		at = inside
	}
	return below
}

// isKeyOf reports whether the step selects an element by this field.
func isKeyOf(step paths.Step, field fieldpath.PathElement) bool {
	return field.FieldName != nil && slices.ContainsFunc(step.Where, func(c paths.Condition) bool { return c.Key == *field.FieldName })
}

// leadsTo reports whether the step is one to the field or element. The value is the one in the source; nil if it is not there.
func leadsTo(step paths.Step, to fieldpath.PathElement, inside any) bool {
	if step.Field != "" || to.FieldName != nil {
		return step.Field != "" && to.FieldName != nil && *to.FieldName == step.Field
	}
	fields, _ := inside.(map[string]any)
	for _, condition := range step.Where {
		is := fields[condition.Key]
		if to.Key != nil {
			for _, key := range *to.Key {
				if key.Name == condition.Key {
					is = key.Value.Unstructured()
				}
			}
		}
		if !condition.HoldsFor(is) {
			return false
		}
	}
	return true
}

// descend returns the value of a field or element; nil if it is not there.
func descend(at any, to fieldpath.PathElement) any {
	switch {
	case to.FieldName != nil:
		fields, _ := at.(map[string]any)
		return fields[*to.FieldName]
	case to.Key != nil:
		list, _ := at.([]any)
		for _, element := range list {
			if fields, ok := element.(map[string]any); ok && hasKeys(fields, *to.Key) {
				return element
			}
		}
	case to.Index != nil:
		if list, _ := at.([]any); *to.Index >= 0 && *to.Index < len(list) {
			return list[*to.Index]
		}
	}
	return nil
}

func hasKeys(fields map[string]any, keys value.FieldList) bool {
	return !slices.ContainsFunc(keys, func(key value.Field) bool {
		return !value.Equals(value.NewValueInterface(fields[key.Name]), key.Value)
	})
}

// SelectedBy returns the values in the source that decide which elements of lists the paths of the filter select; none if no path selects
// by values. The paths are valid.
func SelectedBy(filter v1.FieldFilter, source map[string]any) (values []any) {
	for _, text := range slices.Concat(filter.Include, filter.Exclude) {
		if path, err := paths.Parse(text); err == nil {
			values = append(values, valuesOn(path.Steps(), source)...)
		}
	}
	return values
}

// valuesOn returns the values of the keys by which the steps select elements.
func valuesOn(steps []paths.Step, at any) (values []any) {
	if len(steps) == 0 {
		return nil
	}
	if steps[0].Field != "" {
		fields, _ := at.(map[string]any)
		return valuesOn(steps[1:], fields[steps[0].Field])
	}
	list, _ := at.([]any)
	for _, element := range list {
		fields, _ := element.(map[string]any)
		for _, condition := range steps[0].Where {
			values = append(values, fields[condition.Key])
		}
		values = append(values, valuesOn(steps[1:], element)...)
	}
	return values
}
