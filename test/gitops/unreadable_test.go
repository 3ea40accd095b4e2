package gitops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// permit gives the manager all rights on a resource until the test ends, or they are taken back.
func (w *world) permit(group, resource string) *unstructured.Unstructured {
	w.T.Helper()
	role := w.Apply(`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $HOME},
		rules: [{apiGroups: ["` + group + `"], resources: [` + resource + `], verbs: ["*"]}]}`)
	binding := w.Apply(`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: $HOME},
		roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: $HOME},
		subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ` + operatorUser + `}]}`)
	w.T.Cleanup(func() {
		w.Delete(binding)
		w.Delete(role)
	})
	return role
}

// TestRuleThatMayNotReadItsSourceHoldsNothing deletes a rule for a kind that the manager may not read.
func TestRuleThatMayNotReadItsSourceHoldsNothing(t *testing.T) {
	w := newWorld(t)
	rule := settles(v1.ReasonSourceFetchFailed, unreadable)(w)
	assert.Empty(t, rule.GetFinalizers(), "nothing was written for it")
	w.ends(rule)
}

// TestRuleWithACopyIsHeldThoughItsSourceCannotBeRead takes the right to read a kind, and the finalizer of a rule for it.
func TestRuleWithACopyIsHeldThoughItsSourceCannotBeRead(t *testing.T) {
	w := newWorld(t)
	right := w.permit("", "limitranges")
	origin := w.Apply(`{apiVersion: v1, kind: LimitRange, metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}, spec: {limits: []}}`)
	rule := settles(v1.ReasonProjected, of(projection, "kind: LimitRange, namespace: $HOME, name: it"))(w)

	w.Delete(right)
	require.Eventually(t, func() bool {
		_, err := cluster.Kubectl(t.Context(), "auth", "can-i", "get", "limitranges", "--as", operatorUser)
		return err != nil
	}, env.Timeout, env.Interval)
	w.Merge(origin, `{"metadata":{"labels":{"edited":""}}}`)
	rule = w.says(rule, v1.ReasonSourceFetchFailed)
	w.Merge(rule, `{"metadata":{"finalizers":null}}`)
	require.Eventually(t, func() bool {
		require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
		return assert.ObjectsAreEqual([]string{v1.FinalizerProjection}, rule.GetFinalizers())
	}, env.Timeout, env.Interval, "its copy would be left behind")

	w.permit("", "limitranges")
	w.says(rule, v1.ReasonProjected)
	w.ends(rule)
}
