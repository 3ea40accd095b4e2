package publication

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/expressions"
	"projection.sh/operator/mutations/paths"
)

// offer is what a PublishedResource says, with its expressions compiled. It never changes.
type offer struct {
	spec       v1alpha1.PublishedResourceSpec
	generation int64
	marks      marks
	deleting   bool

	namespaces, objects labels.Selector // nil: all
	filter              *expressions.Published
	namespace, name     *expressions.Published
	toService           *expressions.Fields // nil: none
	toConsumer          *expressions.Fields // nil: none
	hiddenStatus        []paths.Path
	related             []paths.Path // of the names, as spec.related has them
}

// newOffer compiles what the PublishedResource says. An error says which field cannot be used.
func newOffer(resource *v1alpha1.PublishedResource, hub string) (*offer, error) {
	o := &offer{
		spec: *resource.Spec.DeepCopy(), generation: resource.Generation, deleting: resource.DeletionTimestamp != nil,
		marks: marks{hub: hub, name: resource.Name, uid: resource.UID},
	}
	var err error
	if o.namespaces, err = selectorOf(o.spec.Filter.NamespaceSelector.LabelSelector()); err != nil {
		return o, fmt.Errorf("filter.namespaceSelector: %w", err)
	}
	if o.objects, err = selectorOf(o.spec.Filter.ObjectSelector.LabelSelector()); err != nil {
		return o, fmt.Errorf("filter.objectSelector: %w", err)
	}
	if err := o.compile(); err != nil {
		return o, err
	}
	if o.hiddenStatus, err = paths.ParseAll(o.spec.Mutation.ToConsumer.Exclude); err != nil {
		return o, fmt.Errorf("mutation.toConsumer.exclude: %w", err)
	}
	for i, related := range o.spec.Related {
		path, err := paths.Parse(related.Path)
		if err != nil {
			return o, fmt.Errorf("related[%d].path: %w", i, err)
		}
		o.related = append(o.related, path)
	}
	err = o.checkRelated()
	return o, err
}

func selectorOf(selector *metav1.LabelSelector) (labels.Selector, error) {
	if selector == nil {
		return nil, nil //nolint:nilnil // it selects all
	}
	return metav1.LabelSelectorAsSelector(selector)
}

func (o *offer) compile() error {
	for _, text := range []struct {
		field, of string
		compiled  **expressions.Published
		compile   func(tenant, text string) (*expressions.Published, error)
	}{
		{"filter.expression", o.spec.Filter.Expression, &o.filter, expressions.CompilePublishedBool},
		{"naming.namespace", o.spec.Naming.Namespace, &o.namespace, expressions.CompilePublishedText},
		{"naming.name", o.spec.Naming.Name, &o.name, expressions.CompilePublishedText},
	} {
		if text.of == "" {
			continue
		}
		var err error
		if *text.compiled, err = text.compile(o.marks.name, text.of); err != nil {
			return fmt.Errorf("%s: %w", text.field, err)
		}
	}
	var toService, toConsumer []expressions.Field
	for _, field := range o.spec.Mutation.ToService.Fields {
		toService = append(toService, expressions.Field{Path: field.Path, Expression: field.Expression})
	}
	for _, field := range o.spec.Mutation.ToConsumer.Fields {
		toConsumer = append(toConsumer, expressions.Field{Path: field.Path, Expression: field.Expression})
	}
	var err error
	if o.toService, err = fieldsOf(o.marks.name, toService); err != nil {
		return fmt.Errorf("mutation.toService: %w", err)
	}
	if o.toConsumer, err = fieldsOf(o.marks.name, toConsumer); err != nil {
		return fmt.Errorf("mutation.toConsumer: %w", err)
	}
	return nil
}

func fieldsOf(tenant string, fields []expressions.Field) (*expressions.Fields, error) {
	if len(fields) == 0 {
		return nil, nil //nolint:nilnil // there are none
	}
	return expressions.CompilePublishedFields(tenant, fields)
}
