package publication

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/publication/crd"
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// problem is why something does not work, as status has it.
type problem struct {
	reason, message string
	// stalled reports whether somebody has to act.
	stalled bool
}

func (p *problem) Error() string { return p.message }

// api is how a kind is served by the service, and how consumers see it.
type api struct {
	service, consumer kind
	projected         *apiextensionsv1.CustomResourceDefinition
	hasStatus         bool
	isWithdrawn       bool // the service does not serve the kind any more, and nothing is known of it
}

// apiOf reads the definition of the service, and projects it.
func apiOf(ctx context.Context, service *side, o *offer) (*api, error) {
	group := schema.GroupKind{Group: o.spec.Service.Resource.Group, Kind: o.spec.Service.Resource.Kind}
	served, err := service.kindOf(ctx, group)
	if errors.Is(err, errNotServed) {
		return nil, &problem{
			v1alpha1.ReasonServiceNotFound, fmt.Sprintf("%s does not serve the kind %s; install its CustomResourceDefinition there", service, group), true,
		}
	}
	if err != nil {
		return nil, &problem{v1alpha1.ReasonUnreachable, service.sentence(err), false}
	}
	name := served.Resource + "." + served.Group
	found, err := service.Dynamic.Resource(definitions).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierr.IsObjectNotFound(err, name) && o.deleting:
		return nil, &problem{v1alpha1.ReasonServiceNotFound, fmt.Sprintf("the kind %s is not defined in %s", group, service), true}
	case apierr.IsObjectNotFound(err, name):
		return nil, &problem{
			v1alpha1.ReasonNotProjectable, fmt.Sprintf("the kind %s in %s is not defined by a CustomResourceDefinition, and cannot be offered", group, service), true,
		}
	case err != nil:
		return nil, &problem{v1alpha1.ReasonUnreachable, service.sentence(err), apierr.IsTerminal(err)}
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(found.Object, definition); err != nil {
		return nil, &problem{v1alpha1.ReasonNotProjectable, err.Error(), true}
	}
	return project(definition, o) //nolint:contextcheck // no request is made
}

func project(definition *apiextensionsv1.CustomResourceDefinition, o *offer) (*api, error) {
	projection := projectionOf(o.spec)
	projected, err := crd.Project(definition, projection)
	if err != nil && o.deleting { // only the names are needed
		projection.Versions, projection.RenamedVersions, projection.Hide = nil, nil, nil
		projected, err = crd.Project(definition, projection)
	}
	if err != nil {
		return nil, &problem{v1alpha1.ReasonNotProjectable, err.Error(), true}
	}
	version, err := crd.ServiceVersion(definition, projection)
	if err != nil {
		return nil, &problem{v1alpha1.ReasonNotProjectable, err.Error(), true}
	}
	first := projected.Spec.Versions[0]
	namespaced := projected.Spec.Scope == apiextensionsv1.NamespaceScoped
	names := projected.Spec.Names
	return &api{
		service: kind{
			schema.GroupVersionResource{Group: definition.Spec.Group, Version: version, Resource: definition.Spec.Names.Plural}, definition.Spec.Names.Kind, namespaced,
		},
		consumer:  kind{schema.GroupVersionResource{Group: projected.Spec.Group, Version: first.Name, Resource: names.Plural}, names.Kind, namespaced},
		projected: projected,
		hasStatus: first.Subresources != nil && first.Subresources.Status != nil,
	}, nil
}

func projectionOf(spec v1alpha1.PublishedResourceSpec) crd.Projection {
	projection := crd.Projection{
		Group: spec.Projection.Group, Kind: spec.Projection.Kind, Plural: spec.Projection.Plural, Singular: spec.Projection.Singular,
		ShortNames: spec.Projection.ShortNames, Categories: spec.Projection.Categories, Hide: spec.Projection.Schema.Hide,
	}
	for _, version := range spec.Service.Resource.Versions {
		projection.Versions = append(projection.Versions, string(version))
	}
	for service, consumer := range spec.Projection.Versions {
		if projection.RenamedVersions == nil {
			projection.RenamedVersions = map[string]string{}
		}
		projection.RenamedVersions[service] = string(consumer)
	}
	return projection
}

// install brings the definition in the cluster of a consumer up to date, and reports whether the kind is served. A nil problem and false say that the API
// server needs a moment.
func (p *publication) install(ctx context.Context, at *side, o *offer, offered *api) (bool, *problem) {
	name := offered.projected.Name
	found, err := at.Dynamic.Resource(definitions).Get(ctx, name, metav1.GetOptions{})
	exists := err == nil
	if err != nil && !apierr.IsObjectNotFound(err, name) {
		return false, &problem{v1alpha1.ReasonDefinitionFailed, at.sentence(err), apierr.IsTerminal(err)}
	}
	if o.spec.Definition.Install == v1alpha1.InstallNever {
		return served(ctx, at, offered)
	}
	wanted, err := definitionFor(offered.projected, o.marks)
	if err != nil {
		return false, &problem{v1alpha1.ReasonDefinitionFailed, err.Error(), true}
	}
	switch {
	case !exists:
		return false, applyDefinition(ctx, at, wanted, createOnly)
	case !o.marks.own(found):
		return false, &problem{v1alpha1.ReasonDefinitionConflict, fmt.Sprintf("%s has a CustomResourceDefinition %s that is not that of this PublishedResource; "+
			"delete it there, choose other names in projection, or set definition.install to Never to use it", at, name), true}
	case found.GetDeletionTimestamp() != nil:
		return false, nil
	}
	if !isUpToDate(found, wanted) {
		if held := upgrade(found, offered.projected, o.spec.Definition.Upgrade); held != nil {
			return isEstablished(found), held
		}
		if failed := applyDefinition(ctx, at, wanted, found.GetResourceVersion()); failed != nil {
			return isEstablished(found), failed
		}
	}
	return isEstablished(found), nil
}

// createOnly is a resourceVersion that no object has. Applied with it as a precondition, an object is created if there is none; whatever is there is a
// conflict.
const createOnly = "1"

// served reports whether the API server serves the kind of consumers, however that came about.
func served(ctx context.Context, at *side, offered *api) (bool, *problem) {
	list, err := at.Discovery.ServerResourcesForGroupVersionWithContext(ctx, offered.consumer.GroupVersion().String())
	if err != nil && !apierrors.IsNotFound(err) {
		return false, &problem{v1alpha1.ReasonDefinitionFailed, at.sentence(err), apierr.IsTerminal(err)}
	}
	if err == nil && slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool {
		return r.Name == offered.consumer.Resource && r.Kind == offered.consumer.name && r.Namespaced == offered.consumer.namespaced
	}) {
		return true, nil
	}
	return false, &problem{v1alpha1.ReasonDefinitionMissing, fmt.Sprintf("%s does not serve %s as %s, and definition.install is Never; install it there",
		at, offered.consumer.kind(), offered.consumer.Resource), true}
}

// definitionFor returns the definition with the marks of the PublishedResource.
func definitionFor(projected *apiextensionsv1.CustomResourceDefinition, marks marks) (*unstructured.Unstructured, error) {
	encoded, err := json.Marshal(projected)
	if err != nil {
		return nil, err
	}
	content := map[string]any{} // as the API server returns it
	if err := json.Unmarshal(encoded, &content); err != nil {
		return nil, err
	}
	unstructured.RemoveNestedField(content, statusField)
	unstructured.RemoveNestedField(content, metadataField, "creationTimestamp")
	wanted := &unstructured.Unstructured{Object: content}
	hash := fmt.Sprintf("%016x", hashOf(content))
	wanted.SetLabels(map[string]string{marks.label(): string(marks.uid)})
	wanted.SetAnnotations(map[string]string{v1.AnnotationOwnedByRemote: marks.owner(), v1.AnnotationContentHash: hash})
	return wanted, nil
}

// isUpToDate reports whether the installed definition is the wanted one: it says so, and nobody has changed a field of the operator.
func isUpToDate(installed, wanted *unstructured.Unstructured) bool {
	spec, _, _ := unstructured.NestedMap(wanted.Object, "spec")
	is, _, _ := unstructured.NestedMap(installed.Object, "spec")
	return installed.GetAnnotations()[v1.AnnotationContentHash] == wanted.GetAnnotations()[v1.AnnotationContentHash] && contains(is, spec)
}

// upgrade returns why the installed definition is not replaced; nil: it is to be.
func upgrade(installed *unstructured.Unstructured, wanted *apiextensionsv1.CustomResourceDefinition, policy v1alpha1.DefinitionUpgrade) *problem {
	switch policy {
	case v1alpha1.UpgradeAll:
		return nil
	case v1alpha1.UpgradeNever:
		return &problem{v1alpha1.ReasonDefinitionOutdated, "the CustomResourceDefinition " + wanted.Name +
			" would change, and definition.upgrade is Never; change it by hand, or set definition.upgrade", true}
	default:
	}
	before := &apiextensionsv1.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(installed.Object, before); err != nil {
		return &problem{v1alpha1.ReasonDefinitionFailed, err.Error(), true}
	}
	if err := crd.Upgrade(before, wanted); err != nil {
		return &problem{v1alpha1.ReasonDefinitionOutdated, err.Error(), true}
	}
	return nil
}

func applyDefinition(ctx context.Context, at *side, wanted *unstructured.Unstructured, on string) *problem {
	wanted = wanted.DeepCopy()
	wanted.SetResourceVersion(on)
	_, err := at.Dynamic.Resource(definitions).Apply(ctx, wanted.GetName(), wanted, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
	if err == nil || apierrors.IsConflict(err) { // somebody was faster: an event tells
		return nil
	}
	return &problem{v1alpha1.ReasonDefinitionFailed, at.sentence(err), apierr.IsTerminal(err)}
}

func isEstablished(definition *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(definition.Object, statusField, "conditions")
	return slices.ContainsFunc(conditions, func(condition any) bool {
		fields, _ := condition.(map[string]any)
		return fields["type"] == string(apiextensionsv1.Established) && fields["status"] == string(metav1.ConditionTrue)
	})
}

// removeDefinition deletes the definition in the cluster of a consumer, if it is that of the PublishedResource and no object is left.
func (p *publication) removeDefinition(ctx context.Context, at *side, o *offer, offered *api) error {
	if o.spec.Definition.Removal != v1alpha1.RemovalDeleteWhenEmpty || o.spec.Definition.Install == v1alpha1.InstallNever {
		return nil
	}
	name := offered.projected.Name
	found, err := at.Dynamic.Resource(definitions).Get(ctx, name, metav1.GetOptions{})
	if apierr.IsObjectNotFound(err, name) || err == nil && !o.marks.own(found) {
		return nil
	}
	if err != nil {
		return err
	}
	left, err := at.Metadata.Resource(offered.consumer.GroupVersionResource).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil || len(left.Items) > 0 {
		return err
	}
	uid, version := found.GetUID(), found.GetResourceVersion()
	err = at.Dynamic.Resource(definitions).Delete(ctx, name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version},
	})
	if apierr.IsObjectNotFound(err, name) {
		return nil
	}
	return err
}
