package hostile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
)

// shardLabel is the label by which the installations of a test share its rules.
const shardLabel = "shard"

// shard runs an installation for the rules of this test with that label. The operator of the other tests does not select them.
func (w *world) shard(name string) *manager.Process {
	w.T.Helper()
	identity, err := cluster.KubeConfigFor("shard-"+name+"-"+w.Home, "system:masters")
	require.NoError(w.T, err)
	started, err := startManager(w.T.TempDir(), identity, "--watch-label-selector="+servedBy+"="+w.Home+","+shardLabel+"="+name)
	require.NoError(w.T, err)
	w.T.Cleanup(func() { _ = started.Stop() }) // the test may have stopped it
	return started
}

// inBlue puts the rule into the shard blue.
func (w *world) inBlue(rule *v1.Projection) {
	rule.Labels = map[string]string{servedBy: w.Home, shardLabel: "blue"}
}

func color(want string) func(*unstructured.Unstructured) bool {
	return func(o *unstructured.Unstructured) bool { return entry(o, "color") == want }
}

func TestRuleThatLosesItsShardSaysSoAndIsDeleted(t *testing.T) {
	w := newWorld(t)
	w.shard("blue")
	source := w.Create(configMap)
	rule := w.project(source, w.inBlue)
	w.Ready(rule)

	for _, edited := range []string{"green", "yellow"} { // it may be lost more than once
		w.Merge(rule, `{"metadata":{"labels":{"shard":null}}}`)
		assert.Contains(t, w.says(rule, v1.ReasonRuleNotSelected), shardLabel+"=blue")
		w.Says(rule, v1.ConditionStalled, metav1.ConditionTrue, v1.ReasonRuleNotSelected)
		w.Merge(source, `{"data":{"color":"`+edited+`"}}`)

		w.Merge(rule, `{"metadata":{"labels":{"shard":"blue"}}}`)
		w.becomes(source, color(edited))
		w.Ready(rule)
	}

	w.Merge(rule, `{"metadata":{"labels":{"shard":null}}}`)
	w.says(rule, v1.ReasonRuleNotSelected)
	w.Delete(rule)
	w.Gone(rule)
	assert.Nil(t, w.read(source, w.Away, source.GetName()))
}

func TestRuleThatLosesItsShardAndIsDeletedAtOnce(t *testing.T) {
	w := newWorld(t)
	w.shard("blue")
	source := w.Create(configMap)
	rule := w.project(source, w.inBlue)
	w.Ready(rule)
	w.Merge(rule, `{"metadata":{"labels":{"shard":null}}}`)
	w.Delete(rule)
	w.Gone(rule)
	assert.Nil(t, w.read(source, w.Away, source.GetName()))
}

// TestRuleThatMovesToAnotherShardKeepsItsCopy leaves a tombstone of the kind of its copy behind, in the shard that it leaves.
func TestRuleThatMovesToAnotherShardKeepsItsCopy(t *testing.T) {
	w := newWorld(t)
	w.shard("blue")
	w.shard("green")
	source := w.Create(configMap)
	secret := w.Create(`{apiVersion: v1, kind: Secret, metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}}`)
	rule := w.project(source, w.inBlue)
	w.Ready(rule)
	w.Merge(rule, `{"spec":{"source":{"kind":"Secret"}}}`)
	w.Gone(w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $AWAY}}`))
	w.Exists(secret, w.Away, "settings", fixture.Anything)
	w.Ready(rule)

	w.Merge(rule, `{"metadata":{"labels":{"shard":"green"}},"spec":{"source":{"kind":"ConfigMap"}}}`)
	copied := w.becomes(source, fixture.Anything)
	for _, edited := range []string{"blue", "green", "yellow"} {
		w.Merge(source, `{"data":{"color":"`+edited+`"}}`)
		assert.Equal(t, copied.GetUID(), w.becomes(source, color(edited)).GetUID(), "the shard that the rule has left deletes its copy")
		w.Ready(rule)
	}

	w.Delete(rule)
	w.Gone(rule)
	assert.Nil(t, w.read(source, w.Away, source.GetName()))
}
