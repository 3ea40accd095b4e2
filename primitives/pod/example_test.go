package pod_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/pod"
)

// A pod with one container.
func ExampleNewBuilder() {
	resource, err := pod.NewBuilder(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).WithMutation(pod.Mutation{
		Name: "container",
		Mutate: func(m *pod.Mutator) error {
			m.EnsureContainer(corev1.Container{Name: "web", Image: "registry.example.com/web:1"})
			return nil
		},
	}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := resource.PreviewObject()
	fmt.Println(resource.Identity(), preview.Spec.Containers[0].Image, err)
	// Output: v1/Pod/shop/web registry.example.com/web:1 <nil>
}
