package watch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/watch"
)

func permission(t *testing.T, says string) policy.Permission {
	t.Helper()
	parsed, err := policy.PermissionOf(map[string]string{v1.AnnotationProjectable: says})
	require.NoError(t, err)
	return parsed
}

func withTeam(team string) metav1.Object {
	namespace := watch.NewNamespace()
	namespace.Labels = map[string]string{"team": team}
	return namespace
}

func TestPermissionsOfRules(t *testing.T) {
	shop, everywhere := permission(t, "namespaces: team=shop"), permission(t, "true")
	one := watch.RuleKey{Kind: "Projection", NamespacedName: types.NamespacedName{Namespace: "n", Name: "one"}}
	two := watch.RuleKey{Kind: "Projection", NamespacedName: types.NamespacedName{Namespace: "n", Name: "two"}}
	permissions := watch.NewPermissions()
	assert.Empty(t, permissions.Limited("n"))
	permissions.Set(one, everywhere)
	assert.Empty(t, permissions.Limited("n"), "no label concerns the rule")

	permissions.Set(one, shop)
	permissions.Set(two, shop)
	assert.Len(t, permissions.Limited("n"), 2)
	assert.Empty(t, permissions.Limited("elsewhere"))
	for team, permitted := range map[string]bool{"shop": true, "other": false} {
		assert.Equal(t, permitted, permissions.Permits(one, withTeam(team)), team)
	}
	assert.False(t, permissions.Permits(one, nil), "there is no namespace")
	permissions.Set(one, everywhere)
	assert.True(t, permissions.Permits(one, withTeam("other")), "the source permits every namespace now")
	assert.Len(t, permissions.Limited("n"), 1)
	permissions.Set(two, policy.Permission{})
	assert.Empty(t, permissions.Limited("n"))
}
