package pv_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/pv"
)

// A volume that outlives its claim.
func ExampleNewBuilder() {
	resource, err := pv.NewBuilder(&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "web"}}).WithMutation(pv.Mutation{
		Name: "retain",
		Mutate: func(m *pv.Mutator) error {
			m.SetReclaimPolicy(corev1.PersistentVolumeReclaimRetain)
			return nil
		},
	}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := resource.PreviewObject()
	fmt.Println(resource.Identity(), preview.Spec.PersistentVolumeReclaimPolicy, err)
	// Output: v1/PersistentVolume/web Retain <nil>
}
