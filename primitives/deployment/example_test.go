package deployment_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/selectors"
)

func ExampleNewBuilder() {
	resource, err := deployment.NewBuilder(baseline("web")).WithMutation(deployment.Mutation{
		Name:    "proxy-sidecar",
		Feature: feature.NewVersionGate("2.1.0", []feature.VersionConstraint{feature.MustConstraint(">= 2.0.0")}),
		Mutate: func(m *deployment.Mutator) error {
			m.EnsureContainer(corev1.Container{Name: "proxy", Image: "registry.example.com/proxy:1"})
			m.EditContainers(selectors.ContainerNamed("proxy"), func(e *editors.ContainerEditor) error {
				e.EnsureFlag("--admin-port", "9901")
				return nil
			})
			return nil
		},
	}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := resource.PreviewObject()
	fmt.Println(resource.Identity(), preview.Spec.Template.Spec.Containers[1].Args, err)
	// Output: apps/v1/Deployment/shop/web [--admin-port=9901] <nil>
}
