package integration_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// sharesLarge creates 20 sources, s-00 to s-19. A reconcile holds the content of 18 of them.
func (w *world) sharesLarge() (names []string) {
	w.T.Helper()
	filler := strings.Repeat("x", maxSelectedContent/19)
	for i := range 20 {
		name := fmt.Sprintf("s-%02d", i)
		w.shares(name)
		w.Merge(w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {namespace: $HOME, name: `+name+`}}`), `{"data":{"filler":"`+filler+`"}}`)
		names = append(names, name)
	}
	return names
}

// doesNothing requires that the operator makes no request while it would have repeated a list several times.
func (w *world) doesNothing() {
	w.T.Helper()
	w.settles()
	assert.Empty(w.T, w.requestsOf(func() {
		for range 5 { // a list would be repeated each second
			w.settles()
		}
	}))
}

// E: sources whose copies cannot be written starve the others. The list is not read again and again while nothing changes.
func TestSelectedBigSourcesStarve(t *testing.T) {
	w := newWorld(t)
	for _, name := range w.sharesLarge()[:19] { // foreign objects are in the way
		w.Apply(`{apiVersion: v1, kind: ConfigMap, metadata: {namespace: $AWAY, name: ` + name + `}, data: {mine: "yes"}}`)
	}
	last := w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: s-19, namespace: $HOME}}`)
	rule := w.selectingAs()
	w.Exists(last, w.Away, "s-19", fixture.Anything)
	w.Merge(last, `{"data":{"color":"blue"}}`)
	w.Exists(last, w.Away, "s-19", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	w.Eventually(rule, func() bool {
		found := meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionDestinationWritten)
		return w.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule) == nil && found != nil && strings.HasPrefix(found.Message, "19 of 20 copies failed")
	}, "not all conflicts are known")
	w.doesNothing()
}

// TestSuspendedRuleReadsLargeSourcesOnce has a suspended rule say what it would do with sources that a reconcile does not hold. Then it is resumed.
func TestSuspendedRuleReadsLargeSourcesOnce(t *testing.T) {
	w := newWorld(t)
	names := w.sharesLarge()
	rule := w.selectingAs(func(rule *v1.Projection) { rule.Spec.Suspend = true })
	said := w.Says(rule, v1.ConditionDestinationWritten, "False", v1.ReasonSuspended)
	assert.Contains(t, said.Message, "suspended: would create 20; none is in sync")
	w.doesNothing()
	w.Merge(rule, `{"spec":{"suspend":false}}`)
	w.Ready(rule)
	for _, name := range names {
		w.Exists(w.Object(configMap), w.Away, name, fixture.Anything)
	}
}
