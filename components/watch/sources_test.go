package watch_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/watch"
)

func TestFollowedSourceEnqueuesItsRule(t *testing.T) {
	f := newField(t)
	created := f.create("settings")
	f.follow(rule("a"), configMaps, "settings")
	assert.Empty(t, f.alarm.take(), "what was there is no news")

	changed := f.merge("settings", `{"data":{"color":"red"}}`)
	require.NotEqual(t, created.ResourceVersion, changed.ResourceVersion)
	f.alarm.rings(t, rule("a"))
	assert.Equal(t, changed.ResourceVersion, f.sources.LastVersion(configMaps, f.at("settings")))

	f.delete("settings")
	f.alarm.rings(t, rule("a"))
	assert.NotEqual(t, changed.ResourceVersion, f.sources.LastVersion(configMaps, f.at("settings")))

	f.create("settings")
	f.alarm.rings(t, rule("a"))
}

func TestSourceThatIsNotThereYet(t *testing.T) {
	f := newField(t)
	f.follow(rule("a"), configMaps, "settings")
	assert.Empty(t, f.sources.LastVersion(configMaps, f.at("settings")))
	created := f.create("settings")
	f.alarm.rings(t, rule("a"))
	assert.Equal(t, created.ResourceVersion, f.sources.LastVersion(configMaps, f.at("settings")))
}

func TestOthersEnqueueNobody(t *testing.T) {
	f := newField(t)
	f.follow(rule("a"), configMaps, "settings")
	f.follow(rule("mark"), configMaps, "mark")

	f.create("other")
	f.merge("other", `{"data":{"color":"red"}}`)
	f.delete("other")
	f.create("mark")

	assert.Equal(t, []call{{rule("mark"), watch.SourceChanged}}, f.alarm.rings(t, rule("mark")))
	assert.Empty(t, f.sources.LastVersion(configMaps, f.at("other")), "nothing is kept of what nobody waits for")
}

func TestOnlyTheStatusOfADeploymentEnqueuesNobody(t *testing.T) {
	f := newField(t)
	labels := map[string]string{"app": "web"}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry.example.com/web:1"}}},
			},
		},
	}
	client := f.client.AppsV1().Deployments(f.namespace)
	f.follow(rule("a"), deployments, "web")
	_, err := client.Create(t.Context(), deployment, metav1.CreateOptions{})
	require.NoError(t, err)
	f.alarm.rings(t, rule("a"))

	for _, status := range []string{`{"status":{"replicas":1}}`, `{"status":{"replicas":2}}`, `{"status":{"replicas":3}}`} {
		_, err = client.Patch(t.Context(), "web", types.MergePatchType, []byte(status), metav1.PatchOptions{}, "status")
		require.NoError(t, err)
	}
	changed, err := client.Patch(t.Context(), "web", types.MergePatchType, []byte(`{"spec":{"replicas":3}}`), metav1.PatchOptions{})
	require.NoError(t, err)

	assert.Len(t, f.alarm.rings(t, rule("a")), 1)
	assert.Equal(t, changed.ResourceVersion, f.sources.LastVersion(deployments, f.at("web")), "the one wake is the one for the spec")
}

func TestTwoRulesOnOneSource(t *testing.T) {
	f := newField(t)
	f.follow(rule("a"), configMaps, "settings")
	f.follow(rule("b"), configMaps, "settings")
	assert.Equal(t, 1, f.watches())

	f.create("settings")
	woken := f.alarm.rings(t, rule("a"))
	if len(woken) == 1 {
		woken = append(woken, f.alarm.rings(t, rule("b"))...)
	}
	assert.ElementsMatch(t, []call{{rule("a"), watch.SourceChanged}, {rule("b"), watch.SourceChanged}}, woken)

	f.sources.Forget(rule("a"))
	f.merge("settings", `{"data":{"color":"red"}}`)
	assert.Equal(t, []call{{rule("b"), watch.SourceChanged}}, f.alarm.rings(t, rule("b")))
}

func TestFollowAnother(t *testing.T) {
	f := newField(t)
	f.follow(rule("a"), configMaps, "old")
	f.follow(rule("a"), configMaps, "new")
	f.create("old")
	f.create("new")
	assert.Equal(t, []call{{rule("a"), watch.SourceChanged}}, f.alarm.rings(t, rule("a")))
	assert.NotEmpty(t, f.sources.LastVersion(configMaps, f.at("new")))
	assert.Empty(t, f.sources.LastVersion(configMaps, f.at("old")))

	t.Run("of another kind", func(t *testing.T) {
		f.follow(rule("a"), secrets, "new")
		assert.Equal(t, 1, f.watches(), "the watch on the old kind is closed")
		require.Eventually(t, func() bool { return f.tap.watches() == 1 }, soon, tick)
		f.merge("new", `{"data":{"color":"red"}}`)
		_, err := f.client.CoreV1().Secrets(f.namespace).Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "new"}}, metav1.CreateOptions{})
		require.NoError(t, err)
		assert.Len(t, f.alarm.rings(t, rule("a")), 1)
	})
}

func TestForgetClosesTheWatch(t *testing.T) {
	f := newField(t)
	f.follow(rule("a"), configMaps, "settings")
	f.follow(rule("b"), configMaps, "settings")
	require.Eventually(t, func() bool { return f.tap.watches() == 1 }, soon, tick)

	f.sources.Forget(rule("a"))
	assert.Equal(t, 1, f.watches())
	f.sources.Forget(rule("b"))
	assert.Zero(t, f.watches())
	assert.Zero(t, f.tap.watches(), "the connection is closed when Forget returns")

	f.create("settings")
	f.follow(rule("a"), configMaps, "settings")
	assert.Empty(t, f.sources.LastVersion(configMaps, f.at("settings")), "what was seen then may be old")
	f.merge("settings", `{"data":{"color":"red"}}`)
	f.alarm.rings(t, rule("a"))
}

func TestFollowWaitsForTheWatch(t *testing.T) {
	f := newField(t)
	f.tap.held = make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, f.sources.Watch(ctx, rule("a"), configMaps, f.at("settings")), context.Canceled)

	close(f.tap.held)
	f.follow(rule("a"), configMaps, "settings")
	f.create("settings")
	f.alarm.rings(t, rule("a"))
}

func TestSourcesThatMayNotBeListed(t *testing.T) {
	f := newField(t)
	config, err := cluster.ConfigFor(f.namespace)
	require.NoError(t, err)
	sources := watch.NewSources(watch.NewObjects(t.Context(), f.metadata(config)), f.alarm.wake)

	err = sources.Watch(t.Context(), rule("a"), configMaps, f.at("settings"))
	require.True(t, apierrors.IsForbidden(err), "%v", err)

	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: f.namespace},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list", "watch"}}},
	}
	_, err = f.client.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{})
	require.NoError(t, err)
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: f.namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: f.namespace},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: f.namespace}},
	}
	_, err = f.client.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return sources.Watch(t.Context(), rule("a"), configMaps, f.at("settings")) == nil
	}, soon, tick, "it recovers by itself")
	f.alarm.take()
	f.create("settings")
	f.alarm.rings(t, rule("a"))
}
