package integration_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// TestRefusedTargetsCostNothing has a policy refuse the copies in some namespaces. They are tried again after 1, 2, 4, ... seconds, and
// not when another copy is repaired; at once when the content changes, or when the namespace does.
func TestRefusedTargetsCostNothing(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	const refused, tries = 3, 5
	good, bad := w.member(w.selected()), make([]string, refused)
	for i := range bad {
		bad[i] = w.member(fmt.Sprintf(`{"group":%q,"refusing":%q}`, w.Home, w.Home))
	}
	w.refuseCopies(bad)
	mark := fixture.Mark(t, cluster)
	attempts := func(namespaces ...string) int { return w.attempts(mark, namespaces) }
	attempted := func(want int) {
		t.Helper()
		require.Eventually(t, func() bool { return attempts(bad...) >= want }, 2*env.Timeout, env.Interval)
	}
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}`)
	w.counts(rule, 1, refused)
	failures := rule.Status.Failures

	attempted(tries * refused) // the next ones are 14 seconds away
	repaired := w.requestsOn([]string{good}, func() {
		before := w.Exists(source, good, "settings", fixture.Anything)
		w.Delete(before)
		w.Exists(source, good, "settings", func(o *unstructured.Unstructured) bool { return o.GetUID() != before.GetUID() })
		w.counts(rule, 1, refused)
		w.settles()
	})
	assert.LessOrEqual(t, len(repaired), 3, "%v", repaired)
	assert.Equal(t, tries*refused, attempts(bad...), "tries of what is refused, all in all")
	assert.Equal(t, failures, rule.Status.Failures, "the status goes on to say so")

	w.Merge(source, `{"data":{"color":"blue"}}`)
	attempted((tries + 1) * refused)
	w.Exists(source, good, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	w.settles()
	assert.Equal(t, (tries+1)*refused, attempts(bad...), "other content is tried at once, and once")

	w.label(bad[0], `{"refusing":null}`)
	w.Exists(source, bad[0], "settings", fixture.Anything)
	w.counts(rule, 2, refused-1)
	assert.Equal(t, (tries+1)*(refused-1), attempts(bad[1:]...), "what is refused still is not tried")
}

// TestStatusOfARefusedCopyCausesNoRequest has a controller write the status of a copy whose update is refused: nothing that the refusal may
// depend on has changed.
func TestStatusOfARefusedCopyCausesNoRequest(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(deployment)
	w.Ready(w.Project("web", source))
	copied := w.Exists(source, w.Away, "web", fixture.Anything)
	w.label(w.Away, fmt.Sprintf(`{"refusing":%q}`, w.Home))
	w.refuseCopies([]string{w.Away})
	mark := fixture.Mark(t, cluster)
	w.Merge(source, `{"spec":{"replicas":7}}`)
	const tries = 5 // the next one is 16 seconds away
	require.Eventually(t, func() bool { return w.attempts(mark, []string{w.Away}) >= tries }, 2*env.Timeout, env.Interval)
	w.settles()

	requests := w.requestsOf(func() {
		for replicas := range 10 {
			patch := fmt.Appendf(nil, `{"status":{"replicas":%d}}`, 10+replicas)
			require.NoError(t, w.Client.Status().Patch(t.Context(), copied, client.RawPatch(types.MergePatchType, patch)))
		}
		w.settles()
	})

	assert.Empty(t, requests)
}

// attempts returns how many writes of copies in the namespaces the operator has sent since the mark.
func (w *world) attempts(mark env.AuditMark, namespaces []string) int {
	w.T.Helper()
	all, attempts := fixture.RequestsSince(w.T, cluster, mark, operatorUser), 0
	for _, namespace := range namespaces {
		attempts += count(within(namespace, all), "patch", "configmaps") + count(within(namespace, all), "patch", "deployments")
	}
	return attempts
}

// refuseCopies has a policy refuse ConfigMaps and Deployments in namespaces that are labelled refusing, of which these are some.
func (w *world) refuseCopies(namespaces []string) {
	w.T.Helper()
	for _, manifest := range []string{`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: $AWAY}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ["", apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps, deployments]}]}
  validations: [{expression: "false", message: none is wanted here, reason: Forbidden}]
`, `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: $AWAY}
spec:
  policyName: $AWAY
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchLabels: {refusing: $HOME}}}
`} {
		object := w.Create(manifest)
		w.T.Cleanup(func() { w.Delete(object) })
	}
	for _, namespace := range namespaces {
		w.refuses(namespace)
	}
}
