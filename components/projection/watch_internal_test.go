package projection

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/watch"
)

func namespace(labels map[string]string) metav1.Object {
	namespace := watch.NewNamespace()
	namespace.Name, namespace.Labels = "tenant", labels
	return namespace
}

func TestWhichRulesALabelOfTheirNamespaceEnqueues(t *testing.T) {
	permissions := watch.NewPermissions()
	for name, says := range map[string]string{"shop": "namespaces: team=shop", "not shop": "namespaces: team!=shop", "any": "true"} {
		permission, err := policy.PermissionOf(map[string]string{v1.AnnotationProjectable: says})
		require.NoError(t, err)
		permissions.Set(watch.RuleKey{Kind: "Projection", NamespacedName: types.NamespacedName{Namespace: "tenant", Name: name}}, permission)
		permissions.Set(watch.RuleKey{Kind: "Projection", NamespacedName: types.NamespacedName{Namespace: "elsewhere", Name: name}}, permission)
		permissions.Set(watch.RuleKey{Kind: "ClusterProjection", NamespacedName: types.NamespacedName{Name: name}}, permission)
	}
	shop, other := map[string]string{"team": "shop"}, map[string]string{"team": "other"}
	tests := map[string]struct {
		before, after metav1.Object
		enqueued      map[string]watch.Trigger
	}{
		"gained":   {namespace(other), namespace(shop), map[string]watch.Trigger{"tenant/shop": watch.NamespaceAdded, "tenant/not shop": watch.NamespaceRemoved}},
		"lost":     {namespace(shop), namespace(nil), map[string]watch.Trigger{"tenant/shop": watch.NamespaceRemoved, "tenant/not shop": watch.NamespaceAdded}},
		"another":  {namespace(nil), namespace(other), map[string]watch.Trigger{}},
		"is known": {nil, namespace(shop), map[string]watch.Trigger{"tenant/shop": watch.NamespaceAdded, "tenant/not shop": watch.NamespaceRemoved}},
		"is gone":  {namespace(shop), nil, map[string]watch.Trigger{}},
	}
	for name, test := range tests {
		got := map[string]watch.Trigger{}
		changed(test.before, test.after, permissions, func(rule watch.RuleKey, trigger watch.Trigger, _ time.Time) { got[rule.String()] = trigger })
		assert.Equal(t, test.enqueued, got, name)
	}
}
