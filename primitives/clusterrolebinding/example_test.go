package clusterrolebinding_test

import (
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/clusterrolebinding"
	"projection.sh/operator/primitives/editors"
)

// The permissions of a role in all namespaces.
func ExampleNewBuilder() {
	resource, err := clusterrolebinding.NewBuilder(&rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"},
	}).WithMutation(clusterrolebinding.Mutation{
		Name: "subject",
		Mutate: func(m *clusterrolebinding.Mutator) error {
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
	// Output: rbac.authorization.k8s.io/v1/ClusterRoleBinding/web web <nil>
}
