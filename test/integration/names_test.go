package integration_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// byTeam names copies by a label of their namespaces.
const byTeam = `"'settings-' + target.labels['team']"`

// nameWith sets destination.nameExpression of a rule.
func nameWith(expression string) string {
	return `{"spec":{"destination":{"name":null,"nameExpression":` + expression + `}}}`
}

// teams makes so many namespaces that the rules of the world select, of the teams t0, t1, ...
func (w *world) teams(count int) []string {
	w.T.Helper()
	members := make([]string, count)
	for i := range members {
		members[i] = w.member(w.selected())
		w.label(members[i], `{"team":"t`+strconv.Itoa(i)+`"}`)
	}
	return members
}

// namesSay waits until the status says that the copies have one name, or so many.
func (w *world) namesSay(rule *v1.ClusterProjection, name string, count int) {
	w.T.Helper()
	w.Eventually(rule, func() bool {
		require.NoError(w.T, w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule))
		names := rule.Status.DestinationNames
		return rule.Status.DestinationName == name && (count == 0 && names == nil || names != nil && int(*names) == count)
	}, "the names of the copies")
}

func TestNamesOfTargets(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	members := w.teams(4)
	w.label(members[3], `{"team":null}`)
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}, nameExpression: `+byTeam+`}`)
	for i, member := range members[:3] {
		copied := w.Exists(source, member, "settings-t"+strconv.Itoa(i), fixture.Anything)
		assert.Equal(t, member+"/"+copied.GetName(), copied.GetAnnotations()[v1.AnnotationPlace])
	}
	w.counts(rule, 3, 1)
	w.namesSay(rule, "", 3)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRenderFailed)
	require.Len(t, rule.Status.Failures, 1)
	assert.Equal(t, v1.NamespaceFailure{
		Namespace: members[3], Reason: v1.ReasonRenderFailed,
		Message: "no copy can be made for this namespace; a copy that exists is kept; correct the namespace or this rule " +
			"(destination.nameExpression: line 1, column 28: no such key: team)",
	}, rule.Status.Failures[0])
	assert.Contains(t, meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionReady).Message, "ConfigMap in "+members[3]+": no copy can be made")
	w.gone(source, members[3], "settings")

	w.label(members[3], `{"team":"t3"}`)
	w.Exists(source, members[3], "settings-t3", fixture.Anything)
	w.counts(rule, 4, 0)
	w.namesSay(rule, "", 4)
	quiet := func() {
		for busy := true; busy; {
			busy = len(w.requestsOn(members, w.settles)) > 0
		}
	}
	quiet()

	t.Run("another label", func(t *testing.T) {
		requests := w.requestsOn(members, func() {
			w.label(members[0], `{"other":"x"}`)
			quiet()
		})
		assert.LessOrEqual(t, len(requests), 1, "the source may be read: %v", requests)
	})
	t.Run("a rename", func(t *testing.T) {
		requests := w.requestsOn(members, func() {
			w.label(members[0], `{"team":"new"}`)
			w.Exists(source, members[0], "settings-new", fixture.Anything)
			w.gone(source, members[0], "settings-t0")
			quiet()
		})
		assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
		assert.Equal(t, 1, count(requests, "delete", "configmaps"), "%v", requests)
		assert.Equal(t, 1, count(requests, "get", "configmaps"), "%v", requests)
		assert.LessOrEqual(t, len(requests), 5, "%v", requests)
	})
	t.Run("an edit of the source", func(t *testing.T) {
		requests := w.requestsOn(members, func() {
			w.Merge(source, `{"data":{"size":"2"}}`)
			w.Exists(source, members[1], "settings-t1", func(o *unstructured.Unstructured) bool { return data(o, "size") == "2" })
			quiet()
		})
		assert.Equal(t, 4, count(requests, "patch", "configmaps"), "%v", requests)
		assert.Zero(t, count(requests, "delete", "configmaps"), "%v", requests)
	})
	t.Run("a copy that is deleted", func(t *testing.T) {
		w.Delete(w.Exists(source, members[2], "settings-t2", fixture.Anything))
		w.Exists(source, members[2], "settings-t2", fixture.Anything)
	})
	t.Run("a name that is none any more", func(t *testing.T) {
		w.label(members[1], `{"team":"Not_A_Name"}`)
		w.counts(rule, 3, 1)
		assert.Contains(t, rule.Status.Failures[0].Message, `destination.nameExpression results in "settings-Not_A_Name", which cannot be the name of an object: a lowercase RFC 1123`)
		quiet()
		w.Exists(source, members[1], "settings-t1", fixture.Anything)
	})
	t.Run("one name for all", func(t *testing.T) {
		w.Merge(rule, nameWith(`"'all-of-' + source.metadata.name"`))
		for _, member := range members {
			w.Exists(source, member, "all-of-settings", fixture.Anything)
		}
		w.gone(source, members[1], "settings-t1")
		w.gone(source, members[2], "settings-t2")
		w.counts(rule, 4, 0)
		w.namesSay(rule, "all-of-settings", 0)
	})
	t.Run("the name without an expression", func(t *testing.T) {
		w.Merge(rule, `{"spec":{"destination":{"nameExpression":null,"name":"all-of-settings"}}}`)
		w.Ready(rule)
		w.namesSay(rule, "all-of-settings", 0)
		w.Merge(rule, nameWith(byTeam))
		w.Exists(source, members[2], "settings-t2", fixture.Anything)
	})
	w.Delete(rule)
	w.Gone(rule)
	for i, member := range members {
		w.gone(source, member, "settings-t"+strconv.Itoa(i))
		w.gone(source, member, "all-of-settings")
	}
}

func TestExpressionThatGivesNoName(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)
	before := w.Exists(source, w.Away, "settings", fixture.Anything)
	for expression, want := range map[string][2]string{
		`"target.nme"`: {
			v1.ReasonRuleInvalid, "spec.destination.nameExpression cannot be applied; copies are kept; correct it (line 1, column 7: undefined field 'nme')",
		},
		`"1"`: {
			v1.ReasonRuleInvalid, "spec.destination.nameExpression cannot be applied; copies are kept; correct it (the result is not a string, and a name is one)",
		},
		`"source.data.color"`: {
			v1.ReasonRenderFailed, "no copy can be made of ConfigMap " + w.Home + "/settings; copies are kept; correct the source or this rule " +
				"(destination.nameExpression: line 1, column 12: no such key: data)",
		},
		`"'Not a name'"`: {
			v1.ReasonRenderFailed, "no copy can be made of ConfigMap " + w.Home + "/settings; copies are kept; correct the source or this rule " +
				`(destination.nameExpression results in "Not a name", which cannot be the name of an object: a lowercase RFC 1123 subdomain must consist of ` +
				"lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for " +
				`validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))`,
		},
	} {
		w.Merge(rule, nameWith(expression))
		w.Eventually(rule, func() bool {
			require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
			written := meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionDestinationWritten)
			return written != nil && written.Reason == want[0] && written.Message == want[1]
		}, "it says %s: %s", want[0], want[1])
		require.NotNil(t, meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionStalled), expression)
	}
	w.settles()
	assert.Equal(t, before, w.Exists(source, w.Away, "settings", fixture.Anything), "the copy stays as it is")
	assert.Equal(t, "settings", rule.Status.DestinationName)
	w.Delete(rule)
	w.Gone(rule)
	w.gone(source, w.Away, "settings")
}

// TestNameOfAProjection names the copy by a label of the namespace of the rule.
func TestNameOfAProjection(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.label(w.Away, `{"team":"a"}`)
	rule := w.Project("settings", source)
	w.Ready(rule)
	w.Merge(rule, nameWith(byTeam))
	w.Exists(source, w.Away, "settings-a", fixture.Anything)
	w.gone(source, w.Away, "settings")
	w.Ready(rule)
	assert.Equal(t, "settings-a", rule.Status.DestinationName)
	assert.Nil(t, rule.Status.DestinationNames)
	w.label(w.Away, `{"team":"b"}`)
	w.Exists(source, w.Away, "settings-b", fixture.Anything)
	w.gone(source, w.Away, "settings-a")
	w.label(w.Away, `{"team":null}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRenderFailed)
	w.Exists(source, w.Away, "settings-b", fixture.Anything)
	w.Delete(rule)
	w.Gone(rule)
	w.gone(source, w.Away, "settings-b")
}

// TestTwoRulesGiveOneName names the copies of two rules alike. The second one leaves the copy of the first alone.
func TestTwoRulesGiveOneName(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.label(w.Away, `{"team":"a"}`)
	first := w.Project("first", source, func(rule *v1.Projection) {
		rule.Spec.Destination.NameExpression = "'settings-' + target.labels['team']"
	})
	w.Ready(first)
	second := w.Project("second", source, func(rule *v1.Projection) { rule.Spec.Destination.NameExpression = "source.metadata.name + '-a'" })
	said := w.Says(second, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	assert.Equal(t, "ConfigMap "+w.Away+"/settings-a: an object is there that belongs to the Projection "+w.Away+
		"/first; it is left alone; delete it, or change destination.nameExpression", said.Message)
	w.label(w.Away, `{"team":"b"}`)
	w.Exists(source, w.Away, "settings-b", fixture.Anything)
	w.Ready(second)
	w.Ready(first)
}

// TestNameOfTheSourceInItsNamespace names copies so that one of them would be the source.
func TestNameOfTheSourceInItsNamespace(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.label(w.Home, w.selected())
	w.label(w.Home, `{"called":"settings"}`)
	other := w.member(w.selected())
	w.label(other, `{"called":"settings"}`)
	before := w.Exists(source, w.Home, "settings", fixture.Anything)
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}, nameExpression: "target.labels['called']"}`)
	w.counts(rule, 1, 0)
	w.Ready(rule)
	w.namesSay(rule, "settings", 0)

	w.label(other, `{"group":null}`)
	said := w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionTrue, v1.ReasonNoMatchingNamespaces)
	assert.Equal(t, "the only selected namespace is that of the source, and destination.nameExpression results in the name of the source there", said.Message)
	w.label(other, w.selected())

	w.label(w.Home, `{"called":"beside"}`)
	w.Exists(source, w.Home, "beside", fixture.Anything)
	w.counts(rule, 2, 0)
	w.label(w.Home, `{"called":"settings"}`)
	w.gone(source, w.Home, "beside")
	w.counts(rule, 1, 0)

	w.Merge(rule, `{"spec":{"destination":{"namespaceSelector":null,"namespaces":["`+w.Home+`","`+other+`"]}}}`)
	w.counts(rule, 1, 1)
	require.Len(t, rule.Status.Failures, 1)
	assert.Equal(t, "the destination is the source itself; change spec.destination.nameExpression or choose another namespace", rule.Status.Failures[0].Message)
	assert.Equal(t, before, w.Exists(source, w.Home, "settings", fixture.Anything), "nobody has written the source")
}

// TestCopyThatWouldBecomeTheSourceOutlivesItsTarget retains the copy in the namespace of the source, which is no target any more.
func TestCopyThatWouldBecomeTheSourceOutlivesItsTarget(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.label(w.Home, `{"group":"`+w.Home+`","called":"beside"}`)
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}, nameExpression: "target.labels['called']"}
  policy: {retain: [TargetDropped]}`)
	w.Exists(source, w.Home, "beside", fixture.Anything)
	w.Ready(rule)
	w.label(w.Home, `{"called":"settings"}`)
	w.Exists(source, w.Home, "beside", func(o *unstructured.Unstructured) bool {
		return o.GetAnnotations()[v1.AnnotationOwnedByClusterProjection] == ""
	})
}
