package crd

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Projection says how an API of a service looks to consumers. The zero value offers the preferred version as it is.
type Projection struct {
	// Group of the API; empty: that of the service.
	Group string
	// Kind of the objects; empty: that of the service.
	Kind string
	// Plural and Singular name the resource; empty: from the kind if that is renamed, otherwise those of the service.
	Plural, Singular string
	// ShortNames and Categories; nil: those of the service; empty: none.
	ShortNames, Categories *[]string
	// Versions of the service to offer. Objects are stored in the first. Empty: the version that the service prefers. Several are possible only
	// if their schemas are equal, without what is hidden: nothing converts objects.
	Versions []string
	// RenamedVersions are the names that consumers see, by those of the service. Versions that are not in it keep their names.
	RenamedVersions map[string]string
	// Hide are the paths of fields that consumers neither see nor set.
	Hide []string
}

// Project returns the definition that consumers see. Only what the projection chooses of the service's definition is in it: no labels, no
// annotations, no conversion by a webhook. An error says why there is none, and what to do.
func Project(service *apiextensionsv1.CustomResourceDefinition, projection Projection) (*apiextensionsv1.CustomResourceDefinition, error) {
	projected, err := project(service.DeepCopy(), projection)
	if err != nil {
		return nil, fmt.Errorf("the CustomResourceDefinition %s cannot be offered to consumers: %w", service.Name, err)
	}
	return projected, nil
}

// project may keep and change parts of the definition of the service.
func project(service *apiextensionsv1.CustomResourceDefinition, projection Projection) (*apiextensionsv1.CustomResourceDefinition, error) {
	group, err := groupOf(service, projection)
	if err != nil {
		return nil, err
	}
	versions, err := versionsOf(service, projection)
	if err != nil {
		return nil, err
	}
	names := namesOf(service.Spec.Names, projection)
	projected := &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: names.Plural + "." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group:      group,
			Names:      names,
			Scope:      service.Spec.Scope,
			Versions:   versions,
			Conversion: &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.NoneConverter},
		},
	}
	return projected, validate(projected)
}
