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
