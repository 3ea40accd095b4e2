package pvc_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/pvc"
)

// A claim of ten gibibytes.
func ExampleNewBuilder() {
	claim, err := pvc.NewBuilder(&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).WithMutation(pvc.Mutation{
		Name: "size",
		Mutate: func(m *pvc.Mutator) error {
			m.SetStorageRequest(resource.MustParse("10Gi"))
			return nil
		},
	}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := claim.PreviewObject()
	fmt.Println(claim.Identity(), preview.Spec.Resources.Requests.Storage(), err)
	// Output: v1/PersistentVolumeClaim/shop/web 10Gi <nil>
}
