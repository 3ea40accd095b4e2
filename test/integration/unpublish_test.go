package integration_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// TestKeyThatIsTakenBackTakesCopiesAwayThatWereToStay edits a rule so that its ConfigMap stays although the rule wants another copy, or none.
// Then the owner of the Secret takes a key back that the ConfigMap holds.
func TestKeyThatIsTakenBackTakesCopiesAwayThatWereToStay(t *testing.T) {
	const foreign = `{apiVersion: v1, kind: $KIND, metadata: {name: $NAME, namespace: $AWAY}}`
	tests := map[string]struct {
		foreignKind, foreignName string
		edit, reason, public     string
	}{
		"a foreign object has the new name": {
			"ConfigMap", "other", `{"spec":{"destination":{"name":"other"},"content":{"data":{"include":["ca.crt"]}}}}`,
			v1.ReasonDestinationConflict, `"ca.crt"`,
		},
		"a foreign object is of the new kind": {
			"Secret", "root-ca", `{"spec":{"destination":{"kind":null},"content":null}}`, v1.ReasonDestinationConflict, `null`,
		},
		"the rule is invalid": {
			"Secret", "other", `{"spec":{"destination":{"kind":null},"content":{"fields":{"exclude":["data.x"]}}}}`, v1.ReasonRuleInvalid, `null`,
		},
		"the source lacks a key": {
			"Secret", "other", `{"spec":{"content":{"data":{"include":["ca.crt"],"rename":[{"from":"zzz","to":"y"}]}}}}`, v1.ReasonSourceIncomplete, `"ca.crt"`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Define("$KIND", test.foreignKind)
			w.Define("$NAME", test.foreignName)
			w.Create(foreign)
			source := w.Apply(certificate)
			rule := w.Project("root-ca", source, as("ConfigMap", "ca.crt", "image"))
			w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionTrue, v1.ReasonResolved)
			w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", fixture.Anything)
			w.Merge(rule, test.edit)
			w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, test.reason)
			w.settles()
			w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", fixture.Anything)

			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/public-keys":`+test.public+`}}}`)
			w.gone(ofKind("ConfigMap"), w.Away, "root-ca")
		})
	}
}
