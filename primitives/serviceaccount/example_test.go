package serviceaccount_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/serviceaccount"
)

// Pods of the account get no token.
func ExampleNewBuilder() {
	resource, err := serviceaccount.NewBuilder(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).WithMutation(serviceaccount.Mutation{
		Name: "no-token",
		Mutate: func(m *serviceaccount.Mutator) error {
			m.SetAutomountServiceAccountToken(new(false))
			return nil
		},
	}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := resource.PreviewObject()
	fmt.Println(resource.Identity(), *preview.AutomountServiceAccountToken, err)
	// Output: v1/ServiceAccount/shop/web false <nil>
}
