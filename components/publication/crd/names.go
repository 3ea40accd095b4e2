package crd

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// groupOf returns the group of the API that consumers see.
func groupOf(service *apiextensionsv1.CustomResourceDefinition, projection Projection) (string, error) {
	group := projection.Group
	if group == "" {
		group = service.Spec.Group
	}
	if apihelpers.IsProtectedCommunityGroup(group) {
		return "", fmt.Errorf("the group %s belongs to the Kubernetes project, and API servers accept CRDs in it only with its approval. "+
			"Choose a group of another domain", group)
	}
	return group, nil
}

// namesOf returns the names that consumers use. All names that follow from a kind follow from the renamed one.
func namesOf(service apiextensionsv1.CustomResourceDefinitionNames, projection Projection) apiextensionsv1.CustomResourceDefinitionNames {
	names := service
	if projection.Kind != "" && projection.Kind != service.Kind {
		plural, singular := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: projection.Kind})
		names.Kind, names.ListKind = projection.Kind, projection.Kind+"List"
		names.Plural, names.Singular = plural.Resource, singular.Resource
	}
	if projection.Plural != "" {
		names.Plural = projection.Plural
	}
	if projection.Singular != "" {
		names.Singular = projection.Singular
	}
	if projection.ShortNames != nil {
		names.ShortNames = *projection.ShortNames
	}
	if projection.Categories != nil {
		names.Categories = *projection.Categories
	}
	return names
}
