package integration_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// fronts is a rule whose copies are Services that wait for an address, which the test gives them.
type fronts struct{ *healthy }

// frontService is the manifest of a Service that consents.
const frontService = `{apiVersion: v1, kind: Service, metadata: {name: %s, namespace: $HOME, labels: {share: "yes"}, annotations: {projection.sh/projectable: "true"}},
spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: false, selector: {color: red}, ports: [{port: 80}]}}`

// newFronts makes the Service, a canary and so many other namespaces, and a rule with that rollout.
func newFronts(t *testing.T, others int, rollout string) *fronts {
	t.Helper()
	f := &fronts{&healthy{&staged{world: newWorld(t)}}}
	f.source = f.Apply(fmt.Sprintf(frontService, "front"))
	for range others {
		f.others = append(f.others, f.member(f.selected()))
	}
	slices.Sort(f.others)
	f.canary = f.member(fmt.Sprintf(`{"group":%q,"canary":"yes"}`, f.Home))
	f.rule = f.fanOut(f.source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  rollout: {until: Healthy, `+rollout+`}`)
	return f
}

// address gives copies their address.
func (f *fronts) address(name string, namespaces ...string) {
	f.T.Helper()
	for _, namespace := range namespaces {
		f.balance(name, namespace, `{"ingress":[{"ip":"192.0.2.1"}]}`)
	}
}

// noAddress takes the address of a copy away.
func (f *fronts) noAddress(name, namespace string) { f.balance(name, namespace, `{"ingress":null}`) }

func (f *fronts) balance(name, namespace, status string) {
	f.T.Helper()
	copied := f.Exists(f.source, namespace, name, fixture.Anything)
	patch := []byte(`{"status":{"loadBalancer":` + status + `}}`)
	require.NoError(f.T, f.Client.Status().Patch(f.T.Context(), copied, client.RawPatch(types.MergePatchType, patch)))
}

// edit makes the color of the source blue.
func (f *fronts) edit() {
	f.T.Helper()
	f.Merge(f.source, `{"spec":{"selector":{"color":"blue"}}}`)
}

// isRead waits until the operator has read the copy since the mark.
func (f *fronts) isRead(mark env.AuditMark, namespace, name string) {
	f.T.Helper()
	require.Eventually(f.T, func() bool {
		return slices.ContainsFunc(fixture.RequestsSince(f.T, cluster, mark, operatorUser), func(r env.Request) bool {
			return r.Verb == "get" && r.Resource == "services" && r.Namespace == namespace && r.Name == name
		})
	}, env.Timeout, env.Interval, "the copy is not read")
}

// has waits until the copies in the namespaces have the color.
func (f *fronts) has(color, name string, namespaces ...string) {
	f.T.Helper()
	for _, namespace := range namespaces {
		f.Exists(f.source, namespace, name, func(o *unstructured.Unstructured) bool {
			found, _, _ := unstructured.NestedString(o.Object, "spec", "selector", "color")
			return found == color
		})
	}
}

// TestFormerCopiesStayUntilTheNewOnesAreHealthy renames the copies of a rule.
func TestFormerCopiesStayUntilTheNewOnesAreHealthy(t *testing.T) {
	tests := map[string]string{
		"destination.name": `{"spec":{"destination":{"name":"renamed"}}}`,
		"nameExpression":   `{"spec":{"destination":{"nameExpression":"'renamed'"}}}`,
	}
	for name, rename := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFronts(t, 1, inWaves)
			f.address("front", f.canary)
			f.address("front", f.others...)
			f.Ready(f.rule)
			mark := fixture.Mark(t, cluster)
			f.Merge(f.rule, rename)
			f.reports(v1.ReasonRolloutInProgress, "wave 1 of 2: 1 of 2 copies have the present content; 1 of them is not healthy yet")
			f.isRead(mark, f.canary, "renamed")
			f.settles()
			f.has("red", "front", f.canary, f.others[0])
			f.address("renamed", f.canary)
			f.gone(f.source, f.canary, "front")
			f.Exists(f.source, f.others[0], "renamed", fixture.Anything)
			f.settles()
			f.has("red", "front", f.others[0])
			requests := f.requestsOn(append(f.others, f.canary), func() {
				f.address("renamed", f.others[0])
				f.gone(f.source, f.others[0], "front")
				f.Ready(f.rule)
				f.settles()
			})
			assert.Equal(t, 1, count(requests, "delete", "services"), "%v", requests)
			assert.Zero(t, count(requests, "patch", "services"), "%v", requests)
		})
	}
}

// TestFormerCopyOfOneThatDoesNotBecomeHealthy has a renamed copy miss its deadline.
func TestFormerCopyOfOneThatDoesNotBecomeHealthy(t *testing.T) {
	tests := map[string]struct {
		then       func(*fronts)
		gone, left string
	}{
		"it becomes healthy": {func(f *fronts) { f.address("renamed", f.canary) }, "front", "renamed"},
		"the rename is reverted": {
			func(f *fronts) { f.Merge(f.rule, `{"spec":{"destination":{"name":null}}}`) }, "renamed", "front",
		},
		"copies need not be healthy": {
			func(f *fronts) { f.Merge(f.rule, `{"spec":{"rollout":{"until":null,"progressDeadlineSeconds":null}}}`) }, "front", "renamed",
		},
		"the owner permits no copy there": {
			func(f *fronts) {
				f.Merge(f.source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: canary=no"}}}`)
			}, "front", "",
		},
		"the owner permits some namespaces": { // the copy is not to be copied further
			func(f *fronts) {
				f.Merge(f.source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: canary=yes"}}}`)
			}, "front", "renamed",
		},
		"the namespace is no target any more": {func(f *fronts) { f.label(f.canary, `{"group":null}`) }, "front", ""},
		"another source": { // its owner is not asked any more
			func(f *fronts) {
				f.Apply(fmt.Sprintf(frontService, "other"))
				f.Merge(f.rule, `{"spec":{"source":{"name":"other"}}}`)
			}, "front", "renamed",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFronts(t, 0, "progressDeadlineSeconds: 2")
			f.address("front", f.canary)
			f.Ready(f.rule)
			f.Merge(f.rule, `{"spec":{"destination":{"name":"renamed"}}}`)
			f.Says(f.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationNotHealthy)
			f.settles()
			f.has("red", "front", f.canary)
			test.then(f)
			f.gone(f.source, f.canary, test.gone)
			f.settles()
			if test.left != "" {
				f.Exists(f.source, f.canary, test.left, fixture.Anything)
			}
		})
	}
}

// TestCopyOfAnEarlierWaveGoesOnToBeReported has the canary fail, which may, while the other copies are changed one after the other.
func TestCopyOfAnEarlierWaveGoesOnToBeReported(t *testing.T) {
	f := newFronts(t, 2, inWaves+", maxUnavailable: 1")
	f.address("front", f.canary)
	f.address("front", f.others...)
	f.Ready(f.rule)
	f.Merge(f.rule, `{"spec":{"rollout":{"maxFailures":1,"progressDeadlineSeconds":2}}}`)
	for _, namespace := range append(f.others, f.canary) {
		f.noAddress("front", namespace)
	}
	f.edit()
	f.has("blue", "front", f.others[0])
	f.address("front", f.others[0])
	f.has("blue", "front", f.others[1])
	f.address("front", f.others[1])
	f.counts(f.rule, 2, 1)
	f.settles()
	f.counts(f.rule, 2, 1)
	f.Says(f.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationNotHealthy)
	f.address("front", f.canary)
	f.Ready(f.rule)
}

// TestOneReconcileServesManyCopiesThatBecomeHealthy has copies get their addresses one after the other.
func TestOneReconcileServesManyCopiesThatBecomeHealthy(t *testing.T) {
	const copies = 20
	f := newFronts(t, copies-1, `progressDeadlineSeconds: 1, maxFailures: "100%"`) // not held, if some are slow
	namespaces := append([]string{f.canary}, f.others...)
	f.Says(f.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationNotHealthy)
	f.counts(f.rule, 0, copies)
	f.settles()
	began := time.Now()
	requests := f.requestsOn(namespaces, func() {
		for _, namespace := range namespaces {
			f.address("front", namespace)
		}
		f.Ready(f.rule)
	})
	seconds := int(time.Since(began)/time.Second) + 1
	reconciles := 0
	for _, request := range requests {
		if request.Verb == "get" && request.Resource == "services" && request.Namespace == f.Home {
			reconciles++
		}
	}
	assert.LessOrEqual(t, reconciles, seconds+2, "a reconcile a second, and the one for the last copy: %v", requests)
	assert.LessOrEqual(t, count(requests, "update", "clusterprojections"), seconds/5+2, "a status in five seconds: %v", requests)
}
