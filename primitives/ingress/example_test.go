package ingress_test

import (
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/ingress"
)

// The certificate of a host.
func ExampleNewBuilder() {
	resource, err := ingress.NewBuilder(&networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).WithMutation(ingress.Mutation{
		Name: "tls",
		Mutate: func(m *ingress.Mutator) error {
			m.EditIngressSpec(func(e *editors.IngressSpecEditor) error {
				e.EnsureTLS(networkingv1.IngressTLS{Hosts: []string{"shop.example.com"}, SecretName: "web-tls"})
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
	fmt.Println(resource.Identity(), preview.Spec.TLS[0].SecretName, err)
	// Output: networking.k8s.io/v1/Ingress/shop/web web-tls <nil>
}
