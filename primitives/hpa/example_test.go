package hpa_test

import (
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/hpa"
)

// At most six pods.
func ExampleNewBuilder() {
	resource, err := hpa.NewBuilder(&autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).WithMutation(hpa.Mutation{
		Name: "limits",
		Mutate: func(m *hpa.Mutator) error {
			m.EditHPASpec(func(e *editors.HPASpecEditor) error {
				e.SetMaxReplicas(6)
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
	fmt.Println(resource.Identity(), preview.Spec.MaxReplicas, err)
	// Output: autoscaling/v2/HorizontalPodAutoscaler/shop/web 6 <nil>
}
