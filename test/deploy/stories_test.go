package deploy_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/failpoint"
)

// story is a source in one namespace, and its copies in another.
type story struct {
	*fixture.World
	source *corev1.ConfigMap
}

func newStory(t *testing.T) *story {
	t.Helper()
	s := &story{World: fixture.New(t, cluster.Config)}
	for _, name := range []string{s.Home, s.Away} {
		t.Cleanup(func() { s.Delete(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}) })
	}
	s.source = &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Home, Name: "settings", Annotations: map[string]string{v1.AnnotationProjectable: v1.ProjectableTrue}},
		Data:       map[string]string{"color": "red"},
	}
	require.NoError(t, s.Client.Create(t.Context(), s.source))
	return s
}

// Names of rules, and of their copies.
const (
	single = "single"
	many   = "many"
)

// project makes a Projection of the source.
func (s *story) project(adapt ...func(*v1.Projection)) *v1.Projection {
	s.T.Helper()
	rule := &v1.Projection{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Away, Name: single},
		Spec:       v1.ProjectionSpec{Source: s.ref(), Destination: v1.ProjectionDestination{Name: single}},
	}
	for _, change := range adapt {
		change(rule)
	}
	require.NoError(s.T, s.Client.Create(s.T.Context(), rule))
	s.T.Cleanup(func() { s.letGo(rule) })
	return rule
}

// fanOut makes a ClusterProjection of the source into the namespace of copies.
func (s *story) fanOut() *v1.ClusterProjection {
	s.T.Helper()
	rule := &v1.ClusterProjection{
		ObjectMeta: metav1.ObjectMeta{Name: many},
		Spec: v1.ClusterProjectionSpec{Source: s.ref(), Destination: v1.ClusterProjectionDestination{
			Name:              many,
			NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: s.Away}},
		}},
	}
	require.NoError(s.T, s.Client.Create(s.T.Context(), rule))
	s.T.Cleanup(func() { s.letGo(rule) })
	return rule
}

// letGo ends a rule that a failed test has left, so that it does not hold the definitions.
func (s *story) letGo(rule owner.Object) {
	s.T.Helper()
	ctx := context.Background()
	err := s.Client.Delete(ctx, rule)
	if err == nil {
		err = s.Client.Patch(ctx, rule, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))
	}
	if !meta.IsNoMatchError(err) {
		assert.NoError(s.T, client.IgnoreNotFound(err))
	}
}

func (s *story) ref() v1.SourceRef {
	return v1.SourceRef{Kind: "ConfigMap", Namespace: s.Home, Name: s.source.Name}
}

// paint edits the source.
func (s *story) paint(color string) {
	s.T.Helper()
	s.source.Data["color"] = color
	require.NoError(s.T, s.Client.Update(s.T.Context(), s.source))
}

// copied waits until there is a copy that is not of the uid and has the color of the source.
func (s *story) copied(name string, not client.Object) *corev1.ConfigMap {
	s.T.Helper()
	found := &corev1.ConfigMap{}
	require.Eventually(s.T, func() bool {
		err := s.Client.Get(s.T.Context(), client.ObjectKey{Namespace: s.Away, Name: name}, found)
		return err == nil && found.Data["color"] == s.source.Data["color"] && (not == nil || found.UID != not.GetUID())
	}, env.Timeout, env.Interval)
	return found
}

// repeats waits until an Event about the rule says that it has happened again.
func (s *story) repeats(rule owner.Object, reason string) {
	s.T.Helper()
	require.Eventually(s.T, func() bool {
		var events eventsv1.EventList
		require.NoError(s.T, s.Client.List(s.T.Context(), &events, client.InNamespace(rule.GetNamespace())))
		for _, event := range events.Items {
			if event.Regarding.UID == rule.GetUID() && event.Reason == reason && event.Series != nil {
				return true
			}
		}
		return false
	}, env.Timeout, env.Interval)
}

// scraper returns a token of an account that may read the metrics of the release.
func (s *story) scraper() string {
	s.T.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: s.Home, Name: "scraper"}}
	require.NoError(s.T, s.Client.Create(s.T.Context(), account))
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: s.Home},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: release + "-metrics-reader"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.Home, Name: account.Name}},
	}
	require.NoError(s.T, s.Client.Create(s.T.Context(), binding))
	s.T.Cleanup(func() { assert.NoError(s.T, s.Client.Delete(context.Background(), binding)) })
	config, err := cluster.ServiceAccountConfig(s.T.Context(), s.Home, account.Name)
	require.NoError(s.T, err)
	return config.BearerToken
}

// tells runs through what an operator does in its life.
func tells(t *testing.T, o *manager.InProcess) {
	t.Helper()
	s := newStory(t)
	o.ArmOnce(1, failpoint.After) // without the answer, the operator has to ask for the rule
	rule := s.project()
	s.Ready(rule)
	o.ArmOnce(1, failpoint.After)
	fanOut := s.fanOut()
	s.Ready(fanOut)
	for _, color := range []string{"green", "blue"} {
		s.paint(color)
		s.copied(single, nil)
		s.copied(many, nil)
	}
	s.repeats(rule, v1.ReasonUpdated)
	removed := s.copied(single, nil)
	s.Delete(removed)
	s.copied(single, removed)
	scraper := s.scraper()
	require.Eventually(t, func() bool {
		status, _ := manager.Get(t.Context(), o.MetricsURL(), scraper)
		return status == http.StatusOK
	}, env.Timeout, env.Interval)
	earlier := []byte(`{"metadata":{"annotations":{"projection.sh/written-kinds":"ConfigMap,Gone.example.com"}}}`)
	require.NoError(t, s.Client.Patch(t.Context(), rule, client.RawPatch(types.MergePatchType, earlier))) // nothing defines it any more
	for _, over := range []client.Object{rule, fanOut} {
		s.Delete(over)
		s.Gone(over)
	}
	s.Gone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.Away, Name: single}})
	s.Gone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.Away, Name: many}})
}

// tellsOfAnAccount has a rule use the permissions of a service account.
func tellsOfAnAccount(t *testing.T) {
	t.Helper()
	s := newStory(t)
	for namespace, verbs := range map[string][]string{s.Home: {"get"}, s.Away: {"create", "patch"}} {
		role := &rbacv1.Role{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "writer"},
			Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: verbs}},
		}
		require.NoError(t, s.Client.Create(t.Context(), role))
		require.NoError(t, s.Client.Create(t.Context(), &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "writer"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "writer"},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.Away, Name: "projection-writer"}},
		}))
	}
	rule := s.project(func(rule *v1.Projection) { rule.Spec.ServiceAccountName = "projection-writer" })
	s.Ready(rule)
	s.copied(single, nil)
	s.Delete(rule)
	s.Gone(rule)
}
