package replicaset_test

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/replicaset"
)

// Three pods.
func ExampleNewBuilder() {
	resource, err := replicaset.NewBuilder(&appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).WithMutation(replicaset.Mutation{
		Name: "replicas",
		Mutate: func(m *replicaset.Mutator) error {
			m.EnsureReplicas(3)
			return nil
		},
	}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := resource.PreviewObject()
	fmt.Println(resource.Identity(), *preview.Spec.Replicas, err)
	// Output: apps/v1/ReplicaSet/shop/web 3 <nil>
}
