package hostile_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// TestNamespaceEndsInEveryOrder deletes a rule, its account's rights, its copy and the account in every order, and then the namespace. The
// operator has lost the right to list copies by then, so it cannot find out whether there are any, and the copies have a finalizer of
// somebody else: the rules end while the copies are there.
func TestNamespaceEndsInEveryOrder(t *testing.T) {
	w := newWorld(t)
	w.operatorWith(nil, impersonating("projection-writer"))
	listing := w.binds("operator", right("", "configmaps", reading))
	source := w.Create(configMap)
	orders := permutations([]string{"rule", "binding", "copy", "account"})
	require.Len(t, orders, 24)
	spaces := make([]*unstructured.Unstructured, len(orders))
	rules := make([]*v1.Projection, len(orders))
	for i := range orders {
		w.Away = w.Namespace("ends", nil)
		spaces[i] = w.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: ` + w.Away + `}}`)
		w.Create(`{apiVersion: v1, kind: ServiceAccount, metadata: {name: projection-writer, namespace: ` + w.Away + `}}`)
		w.grants("projection-writer", w.Home, right("", "configmaps", "get"))
		w.grants("projection-writer", w.Away, right("", "configmaps", "create patch"))
		rules[i] = w.project(source, w.served, as("projection-writer"))
	}
	for i := range orders {
		w.Away = spaces[i].GetName()
		w.Ready(rules[i])
		w.Merge(w.copyOf(source), `{"metadata":{"finalizers":["example.com/hold"]}}`)
	}
	w.Delete(listing)
	w.knows(env.ServiceAccountUser(w.Home, "operator"), false, "list", "configmaps")
	for i, order := range orders {
		w.Away = spaces[i].GetName()
		for _, what := range order {
			w.deleteOne(what, rules[i], source)
		}
		w.Delete(spaces[i])
	}
	for i := range orders {
		w.Away = spaces[i].GetName()
		w.Gone(rules[i])
		require.NotNil(t, w.read(source, w.Away, source.GetName()), "the copy is held")
		w.Merge(w.copyOf(source), `{"metadata":{"finalizers":null}}`)
	}
	for _, space := range spaces {
		w.Gone(space)
	}
}

// copyOf names the copy.
func (w *world) copyOf(source *unstructured.Unstructured) *unstructured.Unstructured {
	w.T.Helper()
	return w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ` + source.GetName() + `, namespace: ` + w.Away + `}}`)
}

// binds gives a service account of the namespace home permissions in the cluster until the binding is deleted.
func (w *world) binds(account string, rules ...rbacv1.PolicyRule) *rbacv1.ClusterRoleBinding {
	w.T.Helper()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{GenerateName: "hostile-"}, Rules: rules}
	require.NoError(w.T, w.Client.Create(w.T.Context(), role))
	w.dispose(role)
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "hostile-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: w.Home, Name: account}},
	}
	require.NoError(w.T, w.Client.Create(w.T.Context(), binding))
	w.dispose(binding)
	return binding
}

// knows waits until the API server allows the user that in the whole cluster, or forbids it.
func (w *world) knows(user string, allowed bool, verb, resource string) {
	w.T.Helper()
	require.Eventually(w.T, func() bool {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: verb, Resource: resource},
		}}
		return w.Client.Create(w.T.Context(), review) == nil && review.Status.Allowed == allowed
	}, env.Timeout, env.Interval)
}

func (w *world) deleteOne(what string, rule *v1.Projection, source *unstructured.Unstructured) {
	w.T.Helper()
	switch what {
	case "rule":
		w.Delete(rule)
	case "copy":
		w.Delete(w.copyOf(source))
	case "account":
		w.Delete(w.Object(`{apiVersion: v1, kind: ServiceAccount, metadata: {name: projection-writer, namespace: ` + w.Away + `}}`))
	case "binding":
		var bindings rbacv1.RoleBindingList
		require.NoError(w.T, w.Client.List(w.T.Context(), &bindings, client.InNamespace(w.Away)))
		for i := range bindings.Items {
			w.Delete(&bindings.Items[i])
		}
	}
}

// permutations returns the items in every order.
func permutations(items []string) [][]string {
	if len(items) <= 1 {
		return [][]string{items}
	}
	var all [][]string
	for i, first := range items {
		rest := append(append([]string{}, items[:i]...), items[i+1:]...)
		for _, tail := range permutations(rest) {
			all = append(all, append([]string{first}, tail...))
		}
	}
	return all
}
