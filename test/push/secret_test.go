package push_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// TestContentOfASecretIsToldNowhere has one cluster refuse a copy of a Secret with a message that repeats its content.
func TestContentOfASecretIsToldNowhere(t *testing.T) {
	const canary = "c4n4ry-between-clusters"
	encoded := base64.StdEncoding.EncodeToString([]byte(canary))
	p := newPushing(t)
	policy := p.east.World.Create(`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: ` + p.Away + `}, spec: {
		matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [secrets]}]},
		validations: [{expression: "object.metadata.namespace != '` + p.Away + `'", messageExpression: "'not ' + string(object.data.key)"}]}}`)
	t.Cleanup(func() { p.east.World.Delete(policy) })
	binding := p.east.World.Create(`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: ` + p.Away + `}, spec: {
		policyName: ` + p.Away + `, validationActions: [Deny]}}`)
	t.Cleanup(func() { p.east.World.Delete(binding) })
	probe := `{apiVersion: v1, kind: Secret, metadata: {namespace: ` + p.Away + `, generateName: probe-}, stringData: {key: probe}}`
	p.east.World.Eventually(policy, func() bool {
		return p.east.World.Client.Create(t.Context(), p.east.World.Object(probe)) != nil
	}, "the policy does not hold")
	source := p.World.Create(`{apiVersion: v1, kind: Secret, metadata: {namespace: $HOME, name: token, annotations: {
		projection.sh/projectable: "true", projection.sh/exportable: "true"}}, stringData: {key: ` + canary + `}}`)
	rule := p.push(source)
	p.west.Exists(source, p.Away, "token", func(*unstructured.Unstructured) bool { return true })
	p.fails(rule, v1.ReasonDestinationCreateFailed)
	var told []any
	told = append(told, rule, p.east.Remote.Get(), p.west.Remote.Get())
	for _, world := range []*place{{World: p.World}, p.east, p.west} {
		var list eventsv1.EventList
		require.NoError(t, world.World.Client.List(t.Context(), &list))
		told = append(told, list)
	}
	text, err := json.Marshal(told)
	require.NoError(t, err)
	assert.NotContains(t, string(text), canary)
	assert.NotContains(t, string(text), encoded)
	assert.Contains(t, string(text), rule.Name)
}
