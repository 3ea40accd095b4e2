package publication

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/expressions"
	"projection.sh/operator/mutations"
	"projection.sh/operator/mutations/paths"
	"projection.sh/operator/primitives/unstructured/static"
)

// renderError says that no copy can be made of an object as the PublishedResource says.
type renderError struct{ cause error }

func (e *renderError) Error() string { return e.cause.Error() }

func (e *renderError) Unwrap() error { return e.cause }

// accepts reports whether the object of a consumer is to be copied. The labels are those of its namespace.
func (o *offer) accepts(object *unstructured.Unstructured, namespace map[string]string, cluster expressions.Target) (bool, error) {
	switch {
	case o.deleting, isMarked(object):
		return false, nil
	case o.namespaces != nil && !o.namespaces.Matches(setOf(namespace)), o.objects != nil && !o.objects.Matches(setOf(object.GetLabels())):
		return false, nil
	case o.filter == nil:
		return true, nil
	}
	holds, err := o.filter.Holds(object.Object, cluster)
	if err != nil {
		return false, &renderError{fmt.Errorf("filter.expression: %w", err)}
	}
	return holds, nil
}

// placeFor returns where the copy of an object is to be that has none.
func (o *offer) placeFor(origin Origin, object *unstructured.Unstructured, cluster expressions.Target) (types.NamespacedName, error) {
	place := Name(origin)
	var err error
	if o.name != nil {
		if place.Name, err = o.name.Text(object.Object, cluster); err != nil {
			return place, &renderError{fmt.Errorf("naming.name: %w", err)}
		}
		if wrong := content.IsPathSegmentName(place.Name); len(wrong) > 0 || len(place.Name) > 253 || place.Name == "" {
			return place, &renderError{fmt.Errorf("naming.name results in %.100q, which cannot be the name of an object", place.Name)}
		}
	}
	if o.namespace == nil || origin.Namespace == "" {
		return place, nil
	}
	if place.Namespace, err = o.namespace.Text(object.Object, cluster); err != nil {
		return place, &renderError{fmt.Errorf("naming.namespace: %w", err)}
	}
	if wrong := content.IsDNS1123Label(place.Namespace); len(wrong) > 0 {
		return place, &renderError{fmt.Errorf("naming.namespace results in %.100q, which cannot be the name of a namespace", place.Namespace)}
	}
	return place, nil
}

// render returns the copy of an object at the place, of that kind, with its content hash. References are paths with the names that they get.
func (o *offer) render(
	object *unstructured.Unstructured, origin Origin, at types.NamespacedName, kind schema.GroupVersionKind, cluster expressions.Target,
) (*unstructured.Unstructured, string, error) {
	values, err := valuesOf(o.toService, object.Object, cluster)
	if err != nil {
		return nil, "", &renderError{fmt.Errorf("mutation.toService: %w", err)}
	}
	if values, err = o.withReferences(values, object, origin); err != nil {
		return nil, "", &renderError{fmt.Errorf("mutation.toService.references: %w", err)}
	}
	input := mutations.Input{
		Kind: kind.GroupKind(), Stamp: o.marks.stamp(), Values: values,
		Content: mutations.Content{Fields: mutations.FieldFilter{Exclude: o.spec.Mutation.ToService.Exclude}},
	}
	copied, err := renderWith(object, at, kind, input)
	if err != nil {
		return nil, "", err
	}
	hash := mutations.ContentHash(copied)
	annotations := copied.GetAnnotations()
	annotations[v1.AnnotationOrigin], annotations[v1.AnnotationOriginUID] = origin.String(), string(object.GetUID())
	copied.SetAnnotations(annotations)
	return copied, hash, nil
}

// withReferences adds the names that related objects have in the cluster of the service.
func (o *offer) withReferences(values []mutations.FieldValue, object *unstructured.Unstructured, origin Origin) ([]mutations.FieldValue, error) {
	for _, reference := range o.spec.Mutation.ToService.References {
		path, err := paths.Parse(reference.Path)
		if err != nil {
			return nil, err
		}
		names := stringsAt(object.Object, path)
		if len(names) > 1 {
			return nil, fmt.Errorf("%s leads to several names. Write the path of one", path)
		}
		for _, name := range names {
			named := Name(Origin{Cluster: origin.Cluster, Namespace: origin.Namespace, Name: name})
			values = append(values, mutations.FieldValue{Path: reference.Path, Value: named.Name})
		}
	}
	return values, nil
}

// renderWith applies the mutations that make a copy.
func renderWith(
	object *unstructured.Unstructured, at types.NamespacedName, kind schema.GroupVersionKind, input mutations.Input,
) (*unstructured.Unstructured, error) {
	baseline := object.DeepCopy()
	baseline.SetGroupVersionKind(kind)
	baseline.SetName(at.Name)
	baseline.SetNamespace(at.Namespace)
	builder := static.NewBuilder(baseline)
	if at.Namespace == "" {
		builder = builder.MarkClusterScoped()
	}
	resource, err := builder.WithMutation(mutations.ForDestination(input)...).Build()
	if err != nil {
		return nil, &renderError{err}
	}
	copied, err := resource.PreviewObject()
	if err != nil {
		return nil, &renderError{err}
	}
	return copied, nil
}

func valuesOf(fields *expressions.Fields, object map[string]any, cluster expressions.Target) ([]mutations.FieldValue, error) {
	if fields == nil {
		return nil, nil
	}
	evaluated, err := fields.Evaluate(expressions.Source{Object: object}, expressions.Timing{})
	if err != nil {
		return nil, err
	}
	values, err := evaluated.Of(cluster)
	if err != nil {
		return nil, err
	}
	given := make([]mutations.FieldValue, 0, len(values))
	for _, value := range values {
		given = append(given, mutations.FieldValue{Path: value.Path, Value: value.Value})
	}
	return given, nil
}

// statusFor returns the status that the consumer gets of a copy; nil: it has none.
func (o *offer) statusFor(copied *unstructured.Unstructured, cluster expressions.Target) (map[string]any, error) {
	status, found := copied.Object[statusField].(map[string]any)
	if !found && o.toConsumer == nil {
		return nil, nil
	}
	values, err := valuesOf(o.toConsumer, copied.Object, cluster)
	if err != nil {
		return nil, &renderError{fmt.Errorf("mutation.toConsumer: %w", err)}
	}
	whole := map[string]any{}
	if found {
		whole[statusField] = status
	}
	whole = (&unstructured.Unstructured{Object: whole}).DeepCopy().Object
	paths.Remove(whole, o.hiddenStatus)
	for _, value := range values {
		path, err := paths.Parse(value.Path)
		if err != nil {
			return nil, &renderError{err}
		}
		if whole, err = paths.Set(whole, path, value.Value); err != nil {
			return nil, &renderError{fmt.Errorf("mutation.toConsumer: %w", err)}
		}
	}
	status, found = whole[statusField].(map[string]any)
	if !found {
		return nil, nil
	}
	return status, nil
}

const (
	metadataField = "metadata"
	statusField   = "status"
)

// isRenderError reports whether the object has to change, or the PublishedResource.
func isRenderError(err error) bool {
	_, is := errors.AsType[*renderError](err)
	return is
}
