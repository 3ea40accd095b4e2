package hostile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// TestPublicKeyIsNotQuotedWhenItsCopyCannotBeDeleted edits a rule to have another source than the Secret. A policy refuses to delete the
// ConfigMap that was made from the Secret, and quotes it.
func TestPublicKeyIsNotQuotedWhenItsCopyCannotBeDeleted(t *testing.T) {
	c := newSecretWorld(t)
	source := c.secret("type: Opaque")
	c.declares(source, "key")
	rule := c.project(source, publish("key"))
	c.Ready(rule)
	c.Exists(publicCopy(), c.Away, "token", fixture.Anything)
	c.quoteDeletions()

	c.Merge(rule, `{"spec":{"source":{"kind":"ConfigMap"}}}`)
	c.Eventually(rule, func() bool {
		require.NoError(t, c.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
		for _, condition := range c.Conditions(rule) {
			if condition.Type == v1.ConditionDestinationWritten && condition.Reason == v1.ReasonDestinationWriteFailed {
				return assert.Contains(t, condition.Message, "the copy cannot be deleted")
			}
		}
		return false
	}, "the rule does not report that its copy cannot be deleted")
	c.settlesOrRetries()
	c.requireSilence()
}

// quoteDeletions installs a policy that quotes ConfigMaps away when they are to be deleted.
func (c *secretWorld) quoteDeletions() {
	c.T.Helper()
	c.Merge(c.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: $AWAY}}`), `{"metadata":{"labels":{"quoting":"$AWAY"}}}`)
	c.dispose(c.Create(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: $AWAY}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [DELETE], resources: [configmaps]}]}
  validations:
  - expression: "!has(oldObject.data) || !('key' in oldObject.data)"
    messageExpression: "'the key is ' + string(oldObject.data.key)"
`))
	c.dispose(c.Create(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: $AWAY}
spec: {policyName: $AWAY, matchResources: {namespaceSelector: {matchLabels: {quoting: $AWAY}}}, validationActions: [Deny]}
`))
	probe := c.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: probe, namespace: $AWAY}, data: {key: probe}}`)
	require.Eventually(c.T, func() bool { return c.Client.Delete(c.T.Context(), probe, client.DryRunAll) != nil }, env.Timeout, env.Interval)
}
