package secret_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/secret"
)

// An entry that is given as a string is sent as data.
func ExampleNewBuilder() {
	resource, err := secret.NewBuilder(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).WithMutation(secret.Mutation{
		Name: "user",
		Mutate: func(m *secret.Mutator) error {
			m.SetStringData("user", "shop")
			return nil
		},
	}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := resource.PreviewObject()
	fmt.Println(resource.Identity(), string(preview.Data["user"]), err)
	// Output: v1/Secret/shop/web shop <nil>
}
