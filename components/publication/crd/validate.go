package crd

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
)

// validate returns an error if an API server would refuse to create the definition.
func validate(definition *apiextensionsv1.CustomResourceDefinition) error {
	asStored := definition.DeepCopy()
	apiextensionsv1.SetDefaults_CustomResourceDefinition(asStored)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(asStored, internal, nil); err != nil {
		return fmt.Errorf("what consumers would see cannot be understood: %w. Repair the definition of the service", err)
	}
	if wrong := validation.ValidateCustomResourceDefinition(context.Background(), internal); len(wrong) > 0 {
		return fmt.Errorf("API servers refuse what consumers would see: %w. Choose other names, or hide other fields", wrong.ToAggregate())
	}
	return nil
}
