package generic_test

import (
	"fmt"

	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/generic"
)

// classMutator records edits of a PriorityClass. It is all that a kind without a package of its own needs.
type classMutator struct {
	object *schedulingv1.PriorityClass
	edits  []func(*schedulingv1.PriorityClass)
}

func (m *classMutator) Edit(edit func(*schedulingv1.PriorityClass)) { m.edits = append(m.edits, edit) }

func (m *classMutator) NextFeature() {}

func (m *classMutator) Apply() error {
	for _, edit := range m.edits {
		edit(m.object)
	}
	return nil
}

// A kind for which the kit has no package.
func ExampleNewStaticBuilder() {
	builder := generic.NewStaticBuilder(
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "shop"}},
		func(object *schedulingv1.PriorityClass) string {
			return "scheduling.k8s.io/v1/PriorityClass/" + object.Name
		},
		func(object *schedulingv1.PriorityClass) *classMutator { return &classMutator{object: object} },
	)
	builder.MarkClusterScoped()
	builder.WithMutation(generic.Mutation[*classMutator]{Name: "value", Mutate: func(m *classMutator) error {
		m.Edit(func(object *schedulingv1.PriorityClass) { object.Value = 1000 })
		return nil
	}})
	resource, err := builder.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := resource.PreviewObject()
	fmt.Println(resource.Identity(), preview.Value, err)
	// Output: scheduling.k8s.io/v1/PriorityClass/shop 1000 <nil>
}
