package integration_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// selectedFronts makes a rule that selects two Services, of which copies in two waves have to be healthy, and returns the second Service as well.
func selectedFronts(t *testing.T) (*fronts, *unstructured.Unstructured) {
	t.Helper()
	f := &fronts{&healthy{&staged{world: newWorld(t)}}}
	f.source = f.Apply(fmt.Sprintf(frontService, "a"))
	other := f.Apply(fmt.Sprintf(frontService, "b"))
	f.others = []string{f.member(f.selected())}
	f.canary = f.member(fmt.Sprintf(`{"group":%q,"canary":"yes"}`, f.Home))
	f.Apply(`
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: $AWAY}
spec:
  source: {kind: Service, namespace: $HOME, selector: {matchLabels: {share: "yes"}}}
  destination: {namespaceSelector: {matchLabels: {group: $HOME}}}
  rollout: {until: Healthy, progressDeadlineSeconds: 2, ` + inWaves + `}`)
	f.rule = &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: f.Away}}
	return f, other
}

// TestAllCopiesInANamespaceHaveToBeHealthy has two sources that a selector matches.
func TestAllCopiesInANamespaceHaveToBeHealthy(t *testing.T) {
	f, other := selectedFronts(t)
	both := func(namespace string) {
		f.address("a", namespace)
		f.address("b", namespace)
	}
	both(f.canary)
	both(f.others[0])
	f.Ready(f.rule)

	f.address("a", f.canary)
	f.noAddress("b", f.canary)
	f.noAddress("b", f.others[0])
	f.edit()
	f.Merge(other, `{"spec":{"selector":{"color":"blue"}}}`)
	f.has("blue", "b", f.canary)
	said := f.Says(f.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRolloutHeld)
	assert.Contains(t, said.Message, "held in wave 1 of 2: 1 of 1 copies failed, and 0 may; ")
	f.settles()
	f.has("blue", "a", f.canary)
	f.has("red", "a", f.others[0])
	f.has("red", "b", f.others[0])
	f.counts(f.rule, 0, 1)
	assert.Equal(t, int32(1), *f.rule.Status.NamespacesHeld, "namespaces, and not copies")
	failures := slices.Clone(f.rule.Status.Failures)
	assert.Len(t, failures, 1)
	assert.Equal(t, f.canary, failures[0].Namespace)
	assert.Contains(t, failures[0].Message, "b: it has the present content, but was not healthy 2 s after it was changed: ")

	f.address("b", f.canary)
	f.has("blue", "a", f.others[0])
	f.has("blue", "b", f.others[0])
	f.Says(f.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationNotHealthy)
	f.address("b", f.others[0])
	f.Ready(f.rule)
}

// TestFormerCopyOfEachSourceStaysUntilItsNewOneIsHealthy renames the copies of two selected sources by an expression.
func TestFormerCopyOfEachSourceStaysUntilItsNewOneIsHealthy(t *testing.T) {
	f, _ := selectedFronts(t)
	for _, namespace := range []string{f.canary, f.others[0]} {
		f.address("a", namespace)
		f.address("b", namespace)
	}
	f.Ready(f.rule)
	f.Merge(f.rule, `{"spec":{"destination":{"nameExpression":"'new-' + source.metadata.name"}}}`)
	f.address("new-a", f.canary)
	f.gone(f.source, f.canary, "a")
	f.Says(f.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRolloutHeld)
	f.settles()
	f.has("red", "b", f.canary)
	f.has("red", "a", f.others[0])
	f.address("new-b", f.canary)
	f.gone(f.source, f.canary, "b")
	f.address("new-a", f.others[0])
	f.address("new-b", f.others[0])
	f.gone(f.source, f.others[0], "a")
	f.gone(f.source, f.others[0], "b")
	f.Ready(f.rule)
}
