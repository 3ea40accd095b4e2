package statefulset_test

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/statefulset"
)

// Three pods, each with its name in DNS.
func ExampleNewBuilder() {
	resource, err := statefulset.NewBuilder(&appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).WithMutation(statefulset.Mutation{
		Name: "replicas",
		Mutate: func(m *statefulset.Mutator) error {
			m.EditStatefulSetSpec(func(e *editors.StatefulSetSpecEditor) error {
				e.SetServiceName("web")
				return nil
			})
			m.EnsureReplicas(3)
			return nil
		},
	}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := resource.PreviewObject()
	fmt.Println(resource.Identity(), *preview.Spec.Replicas, preview.Spec.ServiceName, err)
	// Output: apps/v1/StatefulSet/shop/web 3 web <nil>
}
