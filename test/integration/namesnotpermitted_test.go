package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
)

// TestNameSaysNothingOfASourceThatIsNotPermitted has the author of a Projection ask for labels of a Secret whose owner permits other namespaces.
func TestNameSaysNothingOfASourceThatIsNotPermitted(t *testing.T) {
	for name, expression := range map[string]string{
		"a name":    "'x-' + source.metadata.labels['tier']",
		"an error":  "'x-' + string(int(source.metadata.labels['tier']))",
		"no name":   "source.metadata.labels['tier'] + '_'",
		"of target": "target.name + '-' + source.metadata.labels['tier']",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := w.Apply(`{apiVersion: v1, kind: Secret, metadata: {name: settings, namespace: $HOME, labels: {tier: gold},
  annotations: {projection.sh/projectable: "namespaces: team=nobody"}}, stringData: {a: b}}`)
			rule := w.Project("p", source, func(rule *v1.Projection) {
				rule.Spec.Destination.NameExpression = expression
			})
			said := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationNotPermitted, v1.ReasonRenderFailed)
			assert.Equal(t, v1.ReasonDestinationNotPermitted, said.Reason)
			assert.NotContains(t, said.Message, "gold")
		})
	}
}
