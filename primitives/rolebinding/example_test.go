package rolebinding_test

import (
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/rolebinding"
)

// The permissions of a role for a ServiceAccount.
func ExampleNewBuilder() {
	resource, err := rolebinding.NewBuilder(&rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "web"},
	}).WithMutation(rolebinding.Mutation{
		Name: "subject",
		Mutate: func(m *rolebinding.Mutator) error {
			m.EditSubjects(func(e *editors.BindingSubjectsEditor) error {
				e.EnsureServiceAccount("web", "shop")
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
	fmt.Println(resource.Identity(), preview.Subjects[0].Name, err)
	// Output: rbac.authorization.k8s.io/v1/RoleBinding/shop/web web <nil>
}
