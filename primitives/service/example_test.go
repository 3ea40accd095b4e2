package service_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/service"
)

// A port, by name.
func ExampleNewBuilder() {
	resource, err := service.NewBuilder(&corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).WithMutation(service.Mutation{
		Name: "port",
		Mutate: func(m *service.Mutator) error {
			m.EditServiceSpec(func(e *editors.ServiceSpecEditor) error {
				e.EnsurePort(corev1.ServicePort{Name: "http", Port: 80})
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
	fmt.Println(resource.Identity(), preview.Spec.Ports[0].Port, err)
	// Output: v1/Service/shop/web 80 <nil>
}
