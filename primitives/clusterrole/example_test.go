package clusterrole_test

import (
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/clusterrole"
)

// Permission to read nodes.
func ExampleNewBuilder() {
	resource, err := clusterrole.NewBuilder(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "web"}}).WithMutation(clusterrole.Mutation{
		Name: "read",
		Mutate: func(m *clusterrole.Mutator) error {
			m.AddRule(rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get"}})
			return nil
		},
	}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := resource.PreviewObject()
	fmt.Println(resource.Identity(), preview.Rules[0].Resources, err)
	// Output: rbac.authorization.k8s.io/v1/ClusterRole/web [nodes] <nil>
}
