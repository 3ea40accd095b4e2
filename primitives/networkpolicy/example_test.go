package networkpolicy_test

import (
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/networkpolicy"
)

// Nothing may connect to the pods of the namespace.
func ExampleNewBuilder() {
	resource, err := networkpolicy.NewBuilder(&networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).WithMutation(networkpolicy.Mutation{
		Name: "deny",
		Mutate: func(m *networkpolicy.Mutator) error {
			m.EditNetworkPolicySpec(func(e *editors.NetworkPolicySpecEditor) error {
				e.SetPolicyTypes([]networkingv1.PolicyType{networkingv1.PolicyTypeIngress})
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
	fmt.Println(resource.Identity(), preview.Spec.PolicyTypes, err)
	// Output: networking.k8s.io/v1/NetworkPolicy/shop/web [Ingress] <nil>
}
