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
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/failpoint"
)

// story is a source in one namespace, and its copies in another.
type story struct {
	t          *testing.T
	client     client.Client
	home, away string
	source     *corev1.ConfigMap
}

func newStory(t *testing.T) *story {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, clientgoscheme.AddToScheme(scheme))
	require.NoError(t, v1.AddToScheme(scheme))
	c, err := client.New(cluster.Config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	s := &story{t: t, client: c}
	s.home, s.away = s.namespace("home-"), s.namespace("away-")
	s.source = &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.home, Name: "settings", Annotations: map[string]string{v1.AnnotationProjectable: v1.ProjectableTrue}},
		Data:       map[string]string{"color": "red"},
	}
	require.NoError(t, c.Create(t.Context(), s.source))
	return s
}

func (s *story) namespace(prefix string) string {
	s.t.Helper()
	created := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: prefix}}
	require.NoError(s.t, s.client.Create(s.t.Context(), created))
	s.t.Cleanup(func() { assert.NoError(s.t, s.client.Delete(context.Background(), created)) })
	return created.Name
}

// Names of rules, and of their copies.
const (
	single = "single"
	many   = "many"
)

// project makes a Projection of the source.
func (s *story) project() *v1.Projection {
	s.t.Helper()
	rule := &v1.Projection{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.away, Name: single},
		Spec:       v1.ProjectionSpec{Source: s.ref(), Destination: v1.ProjectionDestination{Name: single}},
	}
	require.NoError(s.t, s.client.Create(s.t.Context(), rule))
	s.t.Cleanup(func() { s.letGo(rule) })
	return rule
}

// fanOut makes a ClusterProjection of the source into the namespace of copies.
func (s *story) fanOut() *v1.ClusterProjection {
	s.t.Helper()
	rule := &v1.ClusterProjection{
		ObjectMeta: metav1.ObjectMeta{Name: many},
		Spec: v1.ClusterProjectionSpec{Source: s.ref(), Destination: v1.ClusterProjectionDestination{
			Name:              many,
			NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: s.away}},
		}},
	}
	require.NoError(s.t, s.client.Create(s.t.Context(), rule))
	s.t.Cleanup(func() { s.letGo(rule) })
	return rule
}

// letGo ends a rule that a failed test has left, so that it does not hold the definitions.
func (s *story) letGo(rule owner.Object) {
	s.t.Helper()
	ctx := context.Background()
	err := s.client.Delete(ctx, rule)
	if err == nil {
		err = s.client.Patch(ctx, rule, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))
	}
	if !meta.IsNoMatchError(err) {
		assert.NoError(s.t, client.IgnoreNotFound(err))
	}
}

func (s *story) ref() v1.SourceRef {
	return v1.SourceRef{Kind: "ConfigMap", Namespace: s.home, Name: s.source.Name}
}

// ready waits until the rule says that its copies are in step.
func (s *story) ready(rule owner.Object) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		require.NoError(s.t, s.client.Get(s.t.Context(), client.ObjectKeyFromObject(rule), rule))
		return meta.IsStatusConditionTrue(*rule.GetStatusConditions(), v1.ConditionReady)
	}, soon, tick)
}

// paint edits the source.
func (s *story) paint(color string) {
	s.t.Helper()
	s.source.Data["color"] = color
	require.NoError(s.t, s.client.Update(s.t.Context(), s.source))
}

// copied waits until there is a copy that is not of the uid and has the color of the source.
func (s *story) copied(name string, not client.Object) *corev1.ConfigMap {
	s.t.Helper()
	found := &corev1.ConfigMap{}
	require.Eventually(s.t, func() bool {
		err := s.client.Get(s.t.Context(), client.ObjectKey{Namespace: s.away, Name: name}, found)
		return err == nil && found.Data["color"] == s.source.Data["color"] && (not == nil || found.UID != not.GetUID())
	}, soon, tick)
	return found
}

// gone waits until the object is no more.
func (s *story) gone(object client.Object) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		err := s.client.Get(s.t.Context(), client.ObjectKeyFromObject(object), object)
		return apierrors.IsNotFound(err) || meta.IsNoMatchError(err)
	}, soon, tick)
}

func (s *story) delete(object client.Object) {
	s.t.Helper()
	require.NoError(s.t, s.client.Delete(s.t.Context(), object))
}

// repeats waits until an Event about the rule says that it has happened again.
func (s *story) repeats(rule owner.Object, reason string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		var events eventsv1.EventList
		require.NoError(s.t, s.client.List(s.t.Context(), &events, client.InNamespace(rule.GetNamespace())))
		for _, event := range events.Items {
			if event.Regarding.UID == rule.GetUID() && event.Reason == reason && event.Series != nil {
				return true
			}
		}
		return false
	}, soon, tick)
}

// scraper returns a token of an account that may read the metrics of the release.
func (s *story) scraper() string {
	s.t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: s.home, Name: "scraper"}}
	require.NoError(s.t, s.client.Create(s.t.Context(), account))
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: s.home},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: release + "-metrics-reader"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.home, Name: account.Name}},
	}
	require.NoError(s.t, s.client.Create(s.t.Context(), binding))
	s.t.Cleanup(func() { assert.NoError(s.t, s.client.Delete(context.Background(), binding)) })
	config, err := cluster.ServiceAccountConfig(s.t.Context(), s.home, account.Name)
	require.NoError(s.t, err)
	return config.BearerToken
}

// tells runs through what an operator does in its life.
func tells(t *testing.T, o *manager.InProcess) {
	t.Helper()
	s := newStory(t)
	o.ArmOnce(1, failpoint.After) // without the answer, the operator has to ask for the rule
	rule := s.project()
	s.ready(rule)
	o.ArmOnce(1, failpoint.After)
	fanOut := s.fanOut()
	s.ready(fanOut)
	for _, color := range []string{"green", "blue"} {
		s.paint(color)
		s.copied(single, nil)
		s.copied(many, nil)
	}
	s.repeats(rule, v1.ReasonUpdated)
	removed := s.copied(single, nil)
	s.delete(removed)
	s.copied(single, removed)
	scraper := s.scraper()
	require.Eventually(t, func() bool {
		status, _ := manager.Get(t.Context(), o.MetricsURL(), scraper)
		return status == http.StatusOK
	}, soon, tick)
	earlier := []byte(`{"metadata":{"annotations":{"projection.sh/written-kinds":"ConfigMap,Gone.example.com"}}}`)
	require.NoError(t, s.client.Patch(t.Context(), rule, client.RawPatch(types.MergePatchType, earlier))) // nothing defines it any more
	for _, over := range []client.Object{rule, fanOut} {
		s.delete(over)
		s.gone(over)
	}
	s.gone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.away, Name: single}})
	s.gone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.away, Name: many}})
}
