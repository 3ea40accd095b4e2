package crd

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/version"
)

// versionsOf returns the versions that consumers see. The first is the one in which objects are stored.
func versionsOf(service *apiextensionsv1.CustomResourceDefinition, projection Projection) ([]apiextensionsv1.CustomResourceDefinitionVersion, error) {
	chosen, err := chosenVersions(service.Spec.Versions, projection.Versions)
	if err != nil {
		return nil, err
	}
	fields, err := parseHidden(projection.Hide)
	if err != nil {
		return nil, err
	}
	if err := fields.hideIn(chosen); err != nil {
		return nil, err
	}
	if err := sameSchemas(chosen); err != nil {
		return nil, err
	}
	if err := rename(chosen, projection.RenamedVersions); err != nil {
		return nil, err
	}
	for i := range chosen {
		chosen[i].Served, chosen[i].Storage = true, i == 0
		chosen[i].DeprecationWarning = nil // it names the API of the service; API servers have a default
		freeOfNames(chosen[i].Schema.OpenAPIV3Schema)
	}
	return chosen, nil
}

// chosenVersions returns the versions with these names, in their order; of no names, the version that the service prefers.
func chosenVersions(all []apiextensionsv1.CustomResourceDefinitionVersion, names []string) ([]apiextensionsv1.CustomResourceDefinitionVersion, error) {
	served := slices.DeleteFunc(slices.Clone(all), func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return !v.Served })
	if len(served) == 0 {
		return nil, errors.New("it serves no version")
	}
	if len(names) == 0 {
		preferred := slices.MaxFunc(served, func(a, b apiextensionsv1.CustomResourceDefinitionVersion) int {
			return version.CompareKubeAwareVersionStrings(a.Name, b.Name)
		})
		names = []string{preferred.Name}
	}
	chosen := make([]apiextensionsv1.CustomResourceDefinitionVersion, 0, len(names))
	for i, name := range names {
		at := slices.IndexFunc(served, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == name })
		switch {
		case at < 0:
			return nil, fmt.Errorf("it does not serve the version %s. Choose versions that it serves", name)
		case slices.Contains(names[:i], name):
			return nil, fmt.Errorf("the version %s is chosen twice. Choose it once", name)
		case served[at].Schema == nil || served[at].Schema.OpenAPIV3Schema == nil:
			return nil, fmt.Errorf("the version %s has no schema. Choose another version", name)
		}
		chosen = append(chosen, served[at])
	}
	return chosen, nil
}

// sameSchemas returns an error if the versions differ in more than descriptions.
func sameSchemas(versions []apiextensionsv1.CustomResourceDefinitionVersion) error {
	for _, other := range versions[1:] {
		if !equality.Semantic.DeepEqual(undescribed(*versions[0].Schema.OpenAPIV3Schema), undescribed(*other.Schema.OpenAPIV3Schema)) {
			return fmt.Errorf("the schemas of the versions %s and %s differ, and nothing converts objects of consumers. Choose one of the versions, "+
				"or hide the fields in which they differ", versions[0].Name, other.Name)
		}
	}
	return nil
}

// rename gives the versions the names that consumers see.
func rename(versions []apiextensionsv1.CustomResourceDefinitionVersion, names map[string]string) error {
	named := map[string]string{} // names of the service by those of consumers
	for i, v := range versions {
		if renamed, found := names[v.Name]; found {
			versions[i].Name = renamed
		}
		if other, taken := named[versions[i].Name]; taken {
			return fmt.Errorf("the versions %s and %s would both be named %s. Give each a name that no other has", other, v.Name, versions[i].Name)
		}
		named[versions[i].Name] = v.Name
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if named[names[name]] != name {
			return fmt.Errorf("the version %s is renamed and not offered. Choose it, or leave out its new name", name)
		}
	}
	return nil
}

// freeOfNames lets an object have the names that consumers see. API servers check them without the schema.
func freeOfNames(schema *props) {
	for _, name := range typeFields {
		if property, found := schema.Properties[name]; found {
			schema.Properties[name] = props{Type: typeString, Description: property.Description}
		}
	}
}

// ServiceVersion returns the version of the service that is the first one of the projection: the one in which objects are read and written.
func ServiceVersion(service *apiextensionsv1.CustomResourceDefinition, projection Projection) (string, error) {
	chosen, err := chosenVersions(service.Spec.Versions, projection.Versions)
	if err != nil {
		return "", err
	}
	return chosen[0].Name, nil
}
