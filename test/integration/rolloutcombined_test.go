package integration_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// stagedWith is a rule with a rollout in waves, and other fields. What its copies wait for is up to the rollout.
func stagedWith(t *testing.T, rollout, fields string) *staged {
	t.Helper()
	s := &staged{world: newWorld(t)}
	s.source = s.Apply(configMap)
	s.others = []string{s.member(s.selected()), s.member(s.selected())}
	s.canary = s.member(fmt.Sprintf(`{"group":%q,"canary":"yes"}`, s.Home))
	slices.Sort(s.others)
	s.rule = s.fanOut(s.source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  `+fields)
	if rollout == bakes {
		s.Merge(s.rule, bakes)
		return s
	}
	s.Merge(s.rule, rollout)
	s.counts(s.rule, 3, 0)
	s.Ready(s.rule)
	s.Merge(s.rule, bakes)
	s.Ready(s.rule)
	return s
}

// TestCopiesAreRecreatedInWaves has copies that cannot be changed in place.
func TestCopiesAreRecreatedInWaves(t *testing.T) {
	s := stagedWith(t, passes, "policy: {onImmutable: Recreate}\n  overlay: {fields: [{path: immutable, expression: \"true\"}]}")
	before := s.Exists(s.source, s.canary, "settings", fixture.Anything)
	s.paint("blue")
	s.waits()
	s.settles()
	assert.Equal(t, []string{"blue", "red", "red"}, s.colors())
	assert.NotEqual(t, before.GetUID(), s.Exists(s.source, s.canary, "settings", fixture.Anything).GetUID())
	s.Merge(s.rule, passes)
	s.counts(s.rule, 3, 0)
	assert.Equal(t, []string{"blue", "blue", "blue"}, s.colors())
}

// TestObjectsAreAdoptedInWaves has foreign objects in the places of copies.
func TestObjectsAreAdoptedInWaves(t *testing.T) {
	s := &staged{world: newWorld(t)}
	s.source = s.Apply(configMap)
	foreign := func(namespace string) string {
		s.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: ` + namespace + `}, data: {color: theirs}}`)
		return namespace
	}
	s.others = []string{foreign(s.member(s.selected())), foreign(s.member(s.selected()))}
	s.canary = foreign(s.member(fmt.Sprintf(`{"group":%q,"canary":"yes"}`, s.Home)))
	slices.Sort(s.others)
	s.rule = s.fanOut(s.source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  policy: {onConflict: Adopt}
  rollout: {waves: [{namespaceSelector: {matchLabels: {canary: "yes"}}, minReadySeconds: 3600}]}`)
	s.waits()
	s.settles()
	assert.Equal(t, []string{"red", "theirs", "theirs"}, s.colors())
	s.Merge(s.rule, passes)
	s.counts(s.rule, 3, 0)
	s.Ready(s.rule)
	assert.Equal(t, []string{"red", "red", "red"}, s.colors())

	s.Merge(s.rule, bakes)
	s.paint("blue")
	s.waits()
	later := s.Namespace("member", nil)
	foreign(later)
	s.label(later, s.selected())
	s.Exists(s.source, later, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	assert.Equal(t, []string{"blue", "red", "red"}, s.colors())
}

func TestCopiesThatKeepTheirContentWaitForNothing(t *testing.T) {
	s := stagedWith(t, passes, "policy: {updates: CreateOnly}")
	s.paint("blue")
	s.settles()
	s.Ready(s.rule)
	assert.Equal(t, []string{"red", "red", "red"}, s.colors())
	t.Run("creations wait", func(t *testing.T) {
		s := stages(t)
		s.Merge(s.rule, `{"spec":{"policy":{"updates":"CreateOnly"}}}`)
		s.waits()
		s.settles()
		assert.Equal(t, []string{"red", "", ""}, s.colors())
		s.Merge(s.rule, passes)
		s.counts(s.rule, 3, 0)
	})
}

// TestCopiesAreRetainedWithoutTheirTurn has a namespace stop to be a target while its copy waits.
func TestCopiesAreRetainedWithoutTheirTurn(t *testing.T) {
	s := stagedWith(t, passes, "policy: {retain: [TargetDropped]}")
	s.paint("blue")
	s.waits()
	s.label(s.others[0], `{"group":null}`)
	retained := s.Exists(s.source, s.others[0], "settings", func(o *unstructured.Unstructured) bool {
		return o.GetAnnotations()[v1.AnnotationOwnedByClusterProjection] == ""
	})
	assert.Equal(t, "red", data(retained, "color"))
	s.settles()
	assert.Equal(t, []string{"blue", "red", "red"}, s.colors())
}

// TestHealthIsReadInTheNameOfTheOperator has a service account that may write Services, and not read them where the copies are.
func TestHealthIsReadInTheNameOfTheOperator(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(`{apiVersion: v1, kind: Service, metadata: {name: front, namespace: $HOME, annotations: {projection.sh/projectable: "true"}},
spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: false, ports: [{port: 80}]}}`)
	for namespace, verbs := range map[string][]string{w.Home: {"get"}, w.Away: {"create", "patch"}} {
		role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "fan"}, Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{""}, Resources: []string{"services"}, Verbs: verbs,
		}}}
		require.NoError(t, w.Client.Create(t.Context(), role))
		require.NoError(t, w.Client.Create(t.Context(), &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "fan"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "fan"},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: w.Away, Name: "fan"}},
		}))
	}
	rule := w.fanOut(source, `{namespaces: [$AWAY]}
  serviceAccount: {namespace: $AWAY, name: fan}
  rollout: {until: Healthy}`)
	said := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRolloutInProgress)
	assert.Equal(t, "1 of 1 copies have the present content; 1 of them is not healthy yet", said.Message)
	requests := w.requestsOn([]string{w.Away}, func() {
		copied := w.Exists(source, w.Away, "front", fixture.Anything)
		patch := []byte(`{"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}}}`)
		require.NoError(t, w.Client.Status().Patch(t.Context(), copied, client.RawPatch(types.MergePatchType, patch)))
		w.Ready(rule)
	})
	for _, request := range requests {
		if request.Resource == "services" && request.Namespace == w.Away {
			assert.Equal(t, "get ", request.Verb+" "+request.As)
		}
	}
}
