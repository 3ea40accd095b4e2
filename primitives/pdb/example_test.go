package pdb_test

import (
	"fmt"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/pdb"
)

// One pod at a time may be evicted.
func ExampleNewBuilder() {
	resource, err := pdb.NewBuilder(&policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).WithMutation(pdb.Mutation{
		Name: "one",
		Mutate: func(m *pdb.Mutator) error {
			m.EditSpec(func(e *editors.PodDisruptionBudgetSpecEditor) error {
				e.SetMaxUnavailable(intstr.FromInt32(1))
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
	fmt.Println(resource.Identity(), preview.Spec.MaxUnavailable, err)
	// Output: policy/v1/PodDisruptionBudget/shop/web 1 <nil>
}
