package integration_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// A: an opt-out of a source that is not listed any more, while the rule cannot be carried out.
func TestSelectedOptOutWithoutLabelWhileTooMany(t *testing.T) {
	w := newWorld(t)
	for i := range v1.MaxSources {
		w.shares(fmt.Sprintf("s-%03d", i))
	}
	first := w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: s-000, namespace: $HOME}}`)
	rule := w.selectingAs()
	w.Timeout *= 4 // it is the number of copies that takes long
	w.Ready(rule)
	w.Timeout = env.Timeout
	w.shares("more")
	w.shares("more2")
	w.Says(rule, v1.ConditionDestinationWritten, "False", v1.ReasonRuleInvalid)
	w.settles()
	w.Merge(first, `{"metadata":{"labels":null,"annotations":{"projection.sh/projectable":"false"}}}`)
	w.gone(first, w.Away, "s-000")
}

// G: a source that has lost its label, and then the rule is deleted at once (as one reconcile sees it), with retain [RuleDeleted] only.
func TestSelectedLabelLostWhileSuspendedThenRuleDeleted(t *testing.T) {
	w := newWorld(t)
	a := w.shares("a")
	w.shares("b")
	rule := w.selectingAs(retaining(v1.RetainRuleDeleted))
	w.Ready(rule)
	w.Merge(rule, `{"spec":{"suspend":true}}`)
	w.settles()
	w.Merge(a, `{"metadata":{"labels":null}}`)
	w.settles()
	w.Delete(rule)
	w.Gone(rule)
	w.Exists(a, w.Away, "b", fixture.Anything)
	w.gone(a, w.Away, "a")
}

// D: kept ConfigMaps of a Secret, after destination.kind was removed: the opt-out of the source is not noticed.
func TestSelectedKeptCopyOfEarlierKind(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a", "b"} {
		w.Apply(`
apiVersion: v1
kind: Secret
metadata:
  name: ` + name + `
  namespace: $HOME
  labels: {share: "yes"}
  annotations: {projection.sh/projectable: "true", projection.sh/public-keys: "color"}
stringData: {color: red}
`)
	}
	a := w.Object(`{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: $HOME}}`)
	inTarget := w.Object(configMap)
	rule := w.Project("rule", a, retaining(v1.RetainSourceGone), func(rule *v1.Projection) {
		rule.Spec.Source.Name = ""
		rule.Spec.Source.Selector = &v1.SourceSelector{MatchLabels: map[string]v1.LabelValue{"share": "yes"}}
		rule.Spec.Destination.Kind = "ConfigMap"
		rule.Spec.Content.Data = v1.DataFilter{Include: []v1.KeyPattern{"color"}}
	})
	w.Ready(rule)
	w.Exists(inTarget, w.Away, "a", fixture.Anything)
	w.Merge(a, `{"metadata":{"labels":null}}`)
	w.settles()
	w.Exists(inTarget, w.Away, "a", fixture.Anything)
	w.Merge(rule, `{"spec":{"destination":{"kind":null}}}`)
	w.settles()
	w.Exists(a, w.Away, "b", fixture.Anything)
	_, err := w.Get(inTarget, w.Away, "a")
	require.NoError(t, err, "kept")
	w.Merge(a, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.gone(inTarget, w.Away, "a")
}
