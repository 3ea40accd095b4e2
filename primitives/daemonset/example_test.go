package daemonset_test

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/daemonset"
	"projection.sh/operator/primitives/editors"
)

// A pod on every node, replaced by hand.
func ExampleNewBuilder() {
	resource, err := daemonset.NewBuilder(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).WithMutation(daemonset.Mutation{
		Name: "by-hand",
		Mutate: func(m *daemonset.Mutator) error {
			m.EditDaemonSetSpec(func(e *editors.DaemonSetSpecEditor) error {
				e.SetUpdateStrategy(appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType})
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
	fmt.Println(resource.Identity(), preview.Spec.UpdateStrategy.Type, err)
	// Output: apps/v1/DaemonSet/shop/web OnDelete <nil>
}
