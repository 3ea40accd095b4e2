package publication

import (
	"fmt"
	"reflect"
	"slices"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/mutations/paths"
)

// checkRelated returns an error if the consumer could choose which object of the service is copied to him: others have theirs in the same namespace.
// Fields without an exclusion do not suffice, since an expression may leave what the consumer has written.
func (o *offer) checkRelated() error {
	toService := o.spec.Mutation.ToService
	var references, fields []string
	for _, reference := range toService.References {
		references = append(references, reference.Path)
	}
	for _, field := range toService.Fields {
		fields = append(fields, field.Path)
	}
	for i, of := range o.spec.Related {
		path := o.related[i]
		isChosen := !isPath(path, references) && !(isPath(path, fields) && isPath(path, toService.Exclude))
		if of.Origin == v1alpha1.OriginService && isChosen {
			return fmt.Errorf("related[%d].path: a consumer could name any %s in the namespace of its copies, also those of others; "+
				"list %s in mutation.toService.references, or in both exclude and fields of mutation.toService", i, of.Resource.Kind, path)
		}
	}
	return nil
}

// isPath reports whether the path is one of the texts.
func isPath(path paths.Path, texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		other, err := paths.Parse(text)
		return err == nil && reflect.DeepEqual(other.Steps(), path.Steps())
	})
}

// stringsAt returns the texts at the path, in their order.
func stringsAt(content map[string]any, path paths.Path) (texts []string) {
	var collect func(value any)
	collect = func(value any) {
		switch value := value.(type) {
		case string:
			if value != "" {
				texts = append(texts, value)
			}
		case []any:
			for _, element := range value {
				collect(element)
			}
		}
	}
	for _, value := range valuesAt(content, path.Steps()) {
		collect(value)
	}
	return texts
}

// valuesAt returns the values that the steps lead to.
func valuesAt(value any, steps []paths.Step) []any {
	if len(steps) == 0 {
		return []any{value}
	}
	step := steps[0]
	if step.Field != "" {
		fields, isMap := value.(map[string]any)
		inner, has := fields[step.Field]
		if !isMap || !has {
			return nil
		}
		return valuesAt(inner, steps[1:])
	}
	elements, _ := value.([]any)
	var found []any
	for _, element := range elements {
		fields, _ := element.(map[string]any)
		if !slices.ContainsFunc(step.Where, func(c paths.Condition) bool { return !c.HoldsFor(fields[c.Key]) }) {
			found = append(found, valuesAt(element, steps[1:])...)
		}
	}
	return found
}
