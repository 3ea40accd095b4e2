package role_test

import (
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/role"
)

// Permission to read ConfigMaps.
func ExampleNewBuilder() {
	resource, err := role.NewBuilder(&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).WithMutation(role.Mutation{
		Name: "read",
		Mutate: func(m *role.Mutator) error {
			m.EditRules(func(e *editors.PolicyRulesEditor) error {
				e.AddRule(rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get"}})
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
	fmt.Println(resource.Identity(), preview.Rules[0].Resources, err)
	// Output: rbac.authorization.k8s.io/v1/Role/shop/web [configmaps] <nil>
}
