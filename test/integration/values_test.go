package integration_test

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

const template = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
data: {config: "team=@TEAM@", size: "1"}
`

// fieldsPatch sets overlay.fields of a rule.
func fieldsPatch(fields string) string { return `{"spec":{"overlay":{"fields":` + fields + `}}}` }

func TestValuesThatAreTheSameForAllCopies(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(template)
	rule := w.Project("settings", source)
	w.Merge(rule, fieldsPatch(`[{"path":"data.config","expression":"source.data.config.replace('@TEAM@', 'a')"},{"path":"data[\"more\"]","expression":"'x'"},
		{"path":"metadata.labels[\"from\"]","expression":"source.metadata.namespace"}]`))
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		return data(o, "config") == "team=a" && data(o, "more") == "x" && data(o, "size") == "1" && o.GetLabels()["from"] == w.Home
	})
	w.Ready(rule)
	w.settles()

	requests := w.requestsOf(func() {
		w.Merge(rule, fieldsPatch(`[{"path":"data.config","expression":"'team=' + 'a'"},{"path":"data[\"more\"]","expression":"'x'"},
			{"path":"metadata.labels[\"from\"]","expression":"source.metadata.namespace"}]`))
		w.settles()
	})
	assert.Zero(t, count(requests, "patch", "configmaps"), "an expression with the same value: %v", requests)

	copied := w.Exists(source, w.Away, "settings", fixture.Anything)
	w.Merge(copied, `{"data":{"config":"tampered"}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "config") == "team=a" })

	w.Merge(rule, `{"spec":{"overlay":null}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		_, more := o.GetLabels()["from"]
		return data(o, "config") == "team=@TEAM@" && data(o, "more") == "" && !more
	})
}

func TestValuesOfTargets(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(template)
	const copies = 6
	members := make([]string, copies)
	for i := range members {
		members[i] = w.member(w.selected())
		if i > 0 {
			w.label(members[i], `{"team":"a"}`)
		}
	}
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}`)
	w.Merge(rule, fieldsPatch(`[{"path":"data.config","expression":"source.data.config.replace('@TEAM@', target.labels['team'])"},{"path":"data.name","expression":"target.name"}]`))
	for _, member := range members[1:] {
		w.Exists(source, member, "settings", func(o *unstructured.Unstructured) bool {
			return data(o, "config") == "team=a" && data(o, "name") == member
		})
	}
	w.counts(rule, copies-1, 1)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRenderFailed)
	require.NotNil(t, meta.FindStatusCondition(w.Conditions(rule), v1.ConditionStalled))
	require.Len(t, rule.Status.Failures, 1)
	assert.Equal(t, v1.NamespaceFailure{
		Namespace: members[0], Reason: v1.ReasonRenderFailed,
		Message: "no copy can be made for this namespace; a copy that exists is kept; correct the namespace or this rule (overlay.fields[0]: line 1, column 51: no such key: team)",
	}, rule.Status.Failures[0])

	w.label(members[0], `{"team":"b"}`)
	w.Exists(source, members[0], "settings", func(o *unstructured.Unstructured) bool { return data(o, "config") == "team=b" })
	w.counts(rule, copies, 0)
	quiet := func() {
		for busy := true; busy; {
			busy = len(w.requestsOn(members, w.settles)) > 0
		}
	}
	quiet()

	t.Run("a label that an expression reads", func(t *testing.T) {
		requests := w.requestsOn(members, func() {
			w.label(members[1], `{"team":"c"}`)
			w.Exists(source, members[1], "settings", func(o *unstructured.Unstructured) bool { return data(o, "config") == "team=c" })
			quiet()
		})
		assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
		assert.Equal(t, 1, count(requests, "get", "configmaps"), "%v", requests)
		assert.LessOrEqual(t, len(requests), 4, "%v", requests)
	})
	t.Run("a label that no expression reads", func(t *testing.T) {
		requests := w.requestsOn(members, func() {
			w.label(members[1], `{"other":"c"}`)
			quiet()
		})
		assert.Zero(t, count(requests, "patch", "configmaps"), "%v", requests)
	})
	t.Run("an annotation", func(t *testing.T) {
		requests := w.requestsOn(members, func() {
			namespace := w.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: ` + members[1] + `}}`)
			w.Merge(namespace, `{"metadata":{"annotations":{"note":"c"}}}`)
			quiet()
		})
		assert.Empty(t, requests)
	})
	t.Run("an edit of the source", func(t *testing.T) {
		requests := w.requestsOn(members, func() {
			w.Merge(source, `{"data":{"size":"2"}}`)
			for _, member := range members {
				w.Exists(source, member, "settings", func(o *unstructured.Unstructured) bool { return data(o, "size") == "2" })
			}
			quiet()
		})
		assert.Equal(t, copies, count(requests, "patch", "configmaps"), "%v", requests)
		assert.Equal(t, 1, count(requests, "get", "configmaps"), "%v", requests)
	})
	t.Run("a target for which nothing can be made any more", func(t *testing.T) {
		before := w.Exists(source, members[2], "settings", fixture.Anything)
		w.label(members[2], `{"team":null}`)
		w.counts(rule, copies-1, 1)
		quiet()
		assert.Equal(t, before, w.Exists(source, members[2], "settings", fixture.Anything), "its copy stays as it is")
	})
}

func TestValuesOfTheNamespaceOfAProjection(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(template)
	rule := w.Project("settings", source)
	w.label(w.Away, `{"team":"a"}`)
	w.Merge(rule, fieldsPatch(`[{"path":"data.config","expression":"target.labels['team'] + target.annotations[?'note'].orValue('')"}]`))
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "config") == "a" })
	w.label(w.Away, `{"team":"b"}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "config") == "b" })
	w.Merge(w.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: $AWAY}}`), `{"metadata":{"annotations":{"note":"!"}}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "config") == "b!" })
	w.Ready(rule)
	w.label(w.Away, `{"team":null}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRenderFailed)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "config") == "b!" })
	w.Delete(rule)
	w.Gone(rule)
	w.gone(source, w.Away, "settings")
}

func TestExpressionThatIsNone(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(template)
	rule := w.Project("settings", source)
	w.Ready(rule)
	before := w.Exists(source, w.Away, "settings", fixture.Anything)
	w.Merge(rule, fieldsPatch(`[{"path":"data.size","expression":"target.nme"}]`))
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid)
	written := meta.FindStatusCondition(w.Conditions(rule), v1.ConditionDestinationWritten)
	assert.Equal(t, "spec.overlay cannot be applied; copies are kept; correct it (overlay.fields[0]: line 1, column 7: undefined field 'nme')", written.Message)
	require.NotNil(t, meta.FindStatusCondition(w.Conditions(rule), v1.ConditionStalled))
	w.settles()
	assert.Equal(t, before, w.Exists(source, w.Away, "settings", fixture.Anything), "the copy stays as it is")
	w.Delete(rule)
	w.Gone(rule)
}

// A tenant who may create Projections, and no Deployments, gets none by setting the fields of one whose owner consents to copies of it.
func TestTenantsSetNoFieldsOfWorkloads(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(deployment)
	rule := w.Project("web", source, func(rule *v1.Projection) {
		rule.Spec.Overlay.Fields = []v1.OverlayField{{Path: "spec.template.spec.containers[*].image", Expression: "'evil:1'"}}
	})
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid)
	w.settles()
	w.gone(source, w.Away, "web")

	w.Merge(rule, fieldsPatch(`[{"path":"metadata.labels[\"team\"]","expression":"target.name"}]`))
	w.Exists(source, w.Away, "web", func(o *unstructured.Unstructured) bool { return o.GetLabels()["team"] == w.Away })
}

func TestNoValueMakesASecretACredential(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(twoKeys)
	rule := w.Project("settings", source, func(rule *v1.Projection) {
		rule.Spec.Overlay.Fields = []v1.OverlayField{
			{Path: "type", Expression: "'kubernetes.io/service-account-' + 'token'"},
			{Path: `metadata.annotations["kubernetes.io/service-account.name"]`, Expression: "'default'"},
		}
	})
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRenderFailed)
	w.settles()
	w.gone(source, w.Away, "settings")

	w.Merge(rule, fieldsPatch(`[{"path":"type","expression":"target.name != '' ? 'bootstrap.kubernetes.io/token' : 'Opaque'"}]`))
	w.settles()
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRenderFailed)
	w.gone(source, w.Away, "settings")
}

// Neither a label nor an annotation nor a message gets what is in a Secret, and values of the data do.
func TestValuesOfASecretStayInItsData(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(twoKeys)
	rule := w.Project("settings", source)
	for _, field := range []string{
		`{"path":"metadata.annotations[\"x\"]","expression":"string(source.data['pass'])"}`,
		`{"path":"metadata.labels[\"x\"]","expression":"'x' + string(source)"}`,
		`{"path":"data.x","expression":"string(int(string(source.data['pass'])))"}`,
		`{"path":"data.x","expression":"source.data[target.name + string(source.data['pass'])]"}`,
	} {
		w.Merge(rule, fieldsPatch("["+field+"]"))
		w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRenderFailed)
		for _, condition := range w.Conditions(rule) {
			assert.NotContains(t, condition.Message, "swordfish")
			assert.NotContains(t, condition.Message, "c3dvcmRmaXNo")
		}
		w.Merge(rule, fieldsPatch("[]"))
		w.Ready(rule)
	}
	w.Merge(rule, fieldsPatch(`[{"path":"data","expression":"{string(source.data['pass']) + ' !': 'x'}"}]`))
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid)
	w.Merge(rule, fieldsPatch(`[{"path":"data.x","expression":"{string(source.data['pass']) + ' !': 'x'}"}]`))
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRenderFailed)
	w.Merge(rule, fieldsPatch(`[{"path":"data.url","expression":"'db://' + string(source.data['user']) + '@' + target.name"}]`))
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		return secretData(o)["url"] == base64.StdEncoding.EncodeToString([]byte("db://user@"+w.Away))
	})
}
