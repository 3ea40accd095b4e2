package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// TestNamesAndOtherFields renames a copy of a rule with another field.
func TestNamesAndOtherFields(t *testing.T) {
	rename := func(t *testing.T, spec string) (w *world, rule *v1.ClusterProjection, source *unstructured.Unstructured, member string) {
		t.Helper()
		w = newWorld(t)
		source, member = w.Apply(configMap), w.teams(1)[0]
		rule = w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}, nameExpression: `+byTeam+`}
  `+spec)
		w.Exists(source, member, "settings-t0", fixture.Anything)
		w.Ready(rule)
		w.Merge(rule, `{"metadata":{"annotations":{"noted":"yes"}}}`)
		return w, rule, source, member
	}
	t.Run("retain", func(t *testing.T) {
		w, _, source, member := rename(t, `policy: {retain: [TargetDropped, SourceGone, RuleDeleted]}`)
		w.label(member, `{"team":"new"}`)
		w.Exists(source, member, "settings-new", fixture.Anything)
		w.gone(source, member, "settings-t0")
	})
	t.Run("the source is gone", func(t *testing.T) {
		w, rule, source, member := rename(t, `policy: {retain: [SourceGone, RuleDeleted]}`)
		w.Delete(source)
		w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
		w.label(member, `{"team":"new"}`)
		w.settles()
		w.Exists(source, member, "settings-t0", fixture.Anything)
		w.namesSay(rule, "settings-t0", 0)
		w.Apply(configMap)
		w.Exists(source, member, "settings-new", fixture.Anything)
		w.gone(source, member, "settings-t0")
	})
	t.Run("create only", func(t *testing.T) {
		w, _, source, member := rename(t, `policy: {updates: CreateOnly}`)
		w.Merge(source, `{"data":{"color":"blue"}}`)
		w.settles()
		w.Exists(source, member, "settings-t0", func(o *unstructured.Unstructured) bool { return data(o, "color") == "red" })
		w.label(member, `{"team":"new"}`)
		w.Exists(source, member, "settings-new", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
		w.gone(source, member, "settings-t0")
	})
	t.Run("suspend", func(t *testing.T) {
		w, rule, source, member := rename(t, "")
		w.Merge(rule, `{"spec":{"suspend":true}}`)
		w.Ready(rule) // namespaces and rules are watched by themselves
		w.label(member, `{"team":"new"}`)
		w.settles()
		assert.Equal(t, "suspended: would create 1, delete 1; none is in sync", w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSuspended).Message)
		w.Exists(source, member, "settings-t0", fixture.Anything)
		w.namesSay(rule, "settings-t0", 0)
		w.Merge(rule, `{"spec":{"suspend":null}}`)
		w.gone(source, member, "settings-t0")
		w.namesSay(rule, "settings-new", 0)
	})
	t.Run("conflict", func(t *testing.T) {
		w, rule, source, member := rename(t, "")
		w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings-new, namespace: ` + member + `}}`)
		w.label(member, `{"team":"new"}`)
		w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
		assert.Contains(t, rule.Status.Failures[0].Message, "delete it, or change destination.nameExpression")
		w.Exists(source, member, "settings-t0", fixture.Anything)
		w.namesSay(rule, "settings-t0", 0)
		w.Delete(w.Exists(source, member, "settings-new", fixture.Anything))
		w.Ready(rule)
		w.gone(source, member, "settings-t0")
	})
	t.Run("adopt", func(t *testing.T) {
		w, rule, source, member := rename(t, `policy: {onConflict: Adopt}`)
		w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings-new, namespace: ` + member + `}, data: {color: green}}`)
		w.label(member, `{"team":"new"}`)
		w.Exists(source, member, "settings-new", func(o *unstructured.Unstructured) bool { return data(o, "color") == "red" })
		w.gone(source, member, "settings-t0")
		w.Ready(rule)
	})
	t.Run("consent by namespace", func(t *testing.T) {
		w, rule, source, member := rename(t, "")
		w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: team=t0"}}}`)
		w.Ready(rule)
		w.label(member, `{"team":"new"}`)
		w.gone(source, member, "settings-t0")
		w.settles()
		w.gone(source, member, "settings-new")
	})
	t.Run("a listed namespace that does not exist", func(t *testing.T) {
		w, rule, source, member := rename(t, "")
		later := w.Home + "-later"
		w.Merge(rule, `{"spec":{"destination":{"namespaceSelector":null,"namespaces":["`+member+`","`+later+`"]}}}`)
		w.counts(rule, 1, 1)
		assert.Equal(t, "the namespace does not exist; the copy follows when it does", rule.Status.Failures[0].Message)
		w.Exists(source, member, "settings-t0", fixture.Anything)
		w.namesSay(rule, "settings-t0", 0)
	})
	t.Run("a kind", func(t *testing.T) {
		w, rule, source, member := rename(t, "")
		w.Merge(rule, `{"spec":{"destination":{"kind":"Secret"}}}`)
		w.Exists(ofKind("Secret"), member, "settings-t0", fixture.Anything)
		w.gone(source, member, "settings-t0")
		w.label(member, `{"team":"new"}`)
		w.Exists(ofKind("Secret"), member, "settings-new", fixture.Anything)
		w.gone(ofKind("Secret"), member, "settings-t0")
	})
	t.Run("consent", func(t *testing.T) {
		w, rule, source, member := rename(t, "")
		w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
		w.gone(source, member, "settings-t0")
		w.namesSay(rule, "", 0)
	})
}

// TestRenamesWaitInARollout renames all copies by an expression, and one more by a label of its namespace.
func TestRenamesWaitInARollout(t *testing.T) {
	s := introduced(t)
	s.Merge(s.rule, nameWith(`"'settings-' + target.labels[?'team'].orValue('none')"`))
	s.waits()
	s.Exists(s.source, s.canary, "settings-none", fixture.Anything)
	s.gone(s.source, s.canary, "settings")
	s.label(s.others[0], `{"team":"a"}`)
	s.settles()
	assert.Equal(t, []string{"", "red", "red"}, s.colors(), "copies stay until others replace them")
	s.namesSay(s.rule, "", 2)
	_, err := s.Get(s.source, s.others[0], "settings-a")
	require.NoError(t, client.IgnoreNotFound(err))
	require.Error(t, err)
	s.Merge(s.rule, passes)
	s.counts(s.rule, 3, 0)
	s.Exists(s.source, s.others[0], "settings-a", fixture.Anything)
	s.Exists(s.source, s.others[1], "settings-none", fixture.Anything)
	s.gone(s.source, s.others[0], "settings")
	s.gone(s.source, s.others[1], "settings")
}
