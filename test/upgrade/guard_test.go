package upgrade_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// ofCopies returns the requests that are about ConfigMaps.
func ofCopies(requests []env.Request) []env.Request {
	var found []env.Request
	for _, request := range requests {
		if request.Resource == "configmaps" {
			found = append(found, request)
		}
	}
	return found
}

// TestRuleThatUsesAnUnknownFieldIsNotServed begins with rules that an operator of a later version may have served. The
// manager of this version meets them at its start.
func TestRuleThatUsesAnUnknownFieldIsNotServed(t *testing.T) {
	w := newWorld(t)
	w.define(later)
	type refused struct {
		rule  *unstructured.Unstructured
		field string
	}
	rules := map[string]refused{
		"of the spec":            {w.create(w.projection("one", `newField: {include: [public]}`)), "spec.newField"},
		"of an object":           {w.create(w.projection("two", `overlay: {labels: {a: b}, finalizer: x}`)), "spec.overlay.finalizer"},
		"that is a map":          {w.create(w.projection("three", `newField: {rename: {a: b}}`)), "spec.newField"},
		"of an item of a list":   {w.create(w.fanOut("four", `, weight: 3`, "")), "spec.destination.namespaceSelector.matchExpressions[].weight"},
		"of the cluster's rules": {w.create(w.fanOut("five", "", `newField: {}`)), "spec.newField"},
	}
	mark := w.mark()
	w.serve()
	for name, test := range rules {
		t.Run(name, func(t *testing.T) {
			message := w.says(test.rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonRuleInvalid)
			assert.Equal(t, "this version of the operator does not know "+test.field+
				"; upgrade the operator, or remove the field; the copies stay as they are", message)
			assert.Equal(t, message, w.says(test.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid))
			assert.Equal(t, message, w.says(test.rule, v1.ConditionStalled, metav1.ConditionTrue, v1.ReasonRuleInvalid))
			w.says(test.rule, v1.ConditionSourceResolved, metav1.ConditionUnknown, v1.ReasonSourceNotResolved)
		})
	}
	w.settles()
	assert.Empty(t, ofCopies(w.since(mark, "create", "update", "patch", "delete")))
	for name, test := range rules {
		assert.Equal(t, test.rule.Object["spec"], w.get(test.rule).Object["spec"], "%s: what the manager writes of the rule keeps the field", name)
		require.NoError(t, w.Client.Delete(t.Context(), test.rule), name)
		w.Gone(test.rule)
	}
}

func TestDefinitionsUpgradedUnderARunningManager(t *testing.T) {
	w := newWorld(t)
	w.serve()
	rule, fanOut := w.create(w.projection("rule", "")), w.create(w.fanOut("spread", "", ""))
	w.ready(rule)
	w.ready(fanOut)
	before := w.copied("a", "settings", whatever)
	w.settles()

	w.define(later)
	w.settles()
	mark := w.mark()
	w.merge(rule, `{"spec":{"newField":{"include":["public"]}}}`)
	w.says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid)
	source := w.Object(w.source())
	w.merge(source, `{"data":{"private":"3"}}`)

	w.copied("b", "spread", func(data map[string]string) bool { return data["private"] == "3" }) // by the other rule
	w.settles()
	assert.Equal(t, before, w.get(before), "the copy stays as it is")
	assert.Len(t, ofCopies(w.since(mark, "create", "update", "patch", "delete")), 2, "the copies of the other rule")

	t.Run("the field is removed", func(t *testing.T) {
		w.merge(rule, `{"spec":{"newField":null}}`)
		w.ready(rule)
		w.copied("a", "settings", func(data map[string]string) bool { return data["private"] == "3" })
	})
	t.Run("a rule that is not served is deleted with its copies", func(t *testing.T) {
		w.merge(fanOut, `{"spec":{"overlay":{"finalizer":"x"}}}`)
		w.says(fanOut, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid)
		w.merge(fanOut, `{"metadata":{"finalizers":["projection.sh/cluster-finalizer","example.com/hold"]}}`)
		require.NoError(t, w.Client.Delete(t.Context(), fanOut))
		require.Eventually(t, func() bool {
			held := fanOut.DeepCopy()
			return w.Client.Get(t.Context(), client.ObjectKeyFromObject(fanOut), held) == nil && len(held.GetFinalizers()) == 1
		}, env.Timeout, env.Interval)
		assert.Equal(t, map[string]any{"finalizer": "x"}, w.get(fanOut).Object["spec"].(map[string]any)["overlay"], "a patch of the metadata keeps the field")
		w.merge(fanOut, `{"metadata":{"finalizers":null}}`)
		w.Gone(fanOut)
		for _, role := range []string{"a", "b"} {
			w.Gone(w.Object(fmt.Sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: spread, namespace: %s}}`, w.away(role))))
		}
	})
}

func TestDefinitionsDowngradedServeTheRuleAgain(t *testing.T) {
	w := newWorld(t)
	w.define(later)
	w.serve()
	rule := w.create(w.projection("rule", `newField: {include: [public]}`))
	w.says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid)
	w.settles()

	w.define(committed)
	w.ready(rule)
	w.copied("a", "settings", whatever)
}

// TestRuleOfKnownFieldsCostsOneReadMore counts what an edit of the source costs beneath definitions of either version.
func TestRuleOfKnownFieldsCostsOneReadMore(t *testing.T) {
	for name, test := range map[string]struct {
		definitions change
		reads       int
	}{"same definitions": {committed, 0}, "later definitions": {later, 1}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.define(test.definitions)
			w.serve()
			rule := w.create(w.projection("rule", ""))
			w.ready(rule)
			w.settles()

			mark := w.mark()
			w.merge(w.Object(w.source()), `{"data":{"public":"4"}}`)
			w.copied("a", "settings", func(data map[string]string) bool { return data["public"] == "4" })
			w.settles()
			counted := map[string]int{}
			for _, request := range w.since(mark) {
				if request.Resource != "" && request.Resource != "events" { // discovery, after a change of definitions
					counted[request.Verb+" "+request.Resource]++
				}
			}
			wanted := map[string]int{"get configmaps": 1, "patch configmaps": 1}
			if test.reads > 0 {
				wanted["get projections"] = test.reads
			}
			assert.Equal(t, wanted, counted)
		})
	}
}

// TestMissingRightToReadTheDefinitionsStopsNothing runs a manager without it. It reads every rule once more instead, and
// still refuses one that it does not understand.
func TestMissingRightToReadTheDefinitionsStopsNothing(t *testing.T) {
	w := newWorld(t)
	w.define(later)
	w.withoutRead()
	w.serveAs("nobody")
	rule := w.create(w.projection("rule", ""))
	w.ready(rule)
	fanOut := w.create(w.fanOut("spread", "", `newField: {include: [public]}`))
	w.says(fanOut, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid)
	w.settles()

	mark := w.mark()
	w.merge(w.Object(w.source()), `{"data":{"public":"4"}}`)
	w.copied("a", "settings", func(data map[string]string) bool { return data["public"] == "4" })
	w.settles()
	reads := 0
	for _, request := range w.since(mark, "get") {
		switch request.Resource {
		case "projections":
			reads++
		case "customresourcedefinitions":
			assert.Equal(t, int32(http.StatusForbidden), request.Code)
		}
	}
	assert.Equal(t, 1, reads)

	t.Run("and once the definitions are known by the operator", func(t *testing.T) {
		w.define(committed)
		w.ready(fanOut)
	})
}
