package crash_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
)

// TestRestartDoesNotReleaseARolloutThatACopyHolds has the Service in the first wave lack its address for longer than it may.
func TestRestartDoesNotReleaseARolloutThatACopyHolds(t *testing.T) {
	tests := map[string]struct {
		meanwhile func(*world) // while no operator runs
		held      bool
		want      []string
	}{
		"nothing happens":       {func(*world) {}, true, []string{"red", "red", "blue"}},
		"the status is lost":    {(*world).wipeStatus, true, []string{"red", "red", "blue"}},
		"it becomes healthy":    {func(w *world) { w.address(three, "192.0.2.1") }, false, []string{"blue", "blue", "blue"}},
		"the edit is reverted":  {func(w *world) { w.shade("red") }, false, []string{"red", "red", "red"}},
		"the source is edited":  {func(w *world) { w.shade("green") }, true, []string{"red", "red", "green"}},
		"a copy may be without": {func(w *world) { w.patch(w.rule("rule"), `{"spec":{"rollout":{"maxFailures":1}}}`) }, false, []string{"blue", "blue", "blue"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lane := fmt.Sprintf("healthy-%d", worlds.Add(1))
			first, w := servesServices(t, lane)
			w.address(one, "192.0.2.2")
			w.address(two, "192.0.2.3")
			w.patch(w.rule("rule"), `{"spec":{"rollout":{"until":"Healthy","progressDeadlineSeconds":1}}}`)
			w.shade("blue")
			w.reports(v1.ReasonRolloutHeld)
			w.hues("red", "red", "blue")
			first.Kill()
			test.meanwhile(w)

			mark := fixture.Mark(t, cluster)
			_, user := serve(t, lane, "second")
			w.hues(test.want...)
			if test.held {
				w.reports(v1.ReasonRolloutHeld)
			}
			requests := quiet(t, mark, user, 1)
			w.hues(test.want...)
			if name == "nothing happens" {
				assert.False(t, slices.ContainsFunc(requests, isWriteOfCopy), "%v", requests)
			}
		})
	}
}

// servesServices has an operator serve a world with a rule whose copies are Services, one in a first wave and two behind it.
func servesServices(t *testing.T, lane string) (*manager.InProcess, *world) {
	t.Helper()
	operator, _ := serve(t, lane, "first")
	w := newWorld(t, lane, v1.KindClusterProjection)
	w.put("Service", home, `spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: false, selector: {color: red}, ports: [{port: 80}]}`)
	w.patch(w.object("Service", home, "settings"), consent)
	w.projectTo("rule", fmt.Sprintf("{namespaces: [%s, %s, %s]}\n  rollout: {waves: [{namespaceSelector: "+
		"{matchLabels: {kubernetes.io/metadata.name: %[3]s}}}]}", w.name(one), w.name(two), w.name(three)))
	w.patch(w.rule("rule"), `{"spec":{"source":{"kind":"Service"}}}`)
	w.hues("red", "red", "red")
	w.reports(v1.ReasonProjected)
	return operator, w
}

// TestRestartAtRestTakesNoUnhealthyCopyForHealthy has a copy lack its address while none waits.
func TestRestartAtRestTakesNoUnhealthyCopyForHealthy(t *testing.T) {
	tests := map[string]struct {
		before    string       // why the rule is not ready when the operator ends
		deadline  int          // of the copies until then
		meanwhile func(*world) // while no operator runs
		after     string
		writes    bool
	}{
		"it has missed its deadline": {v1.ReasonDestinationNotHealthy, 1, func(*world) {}, v1.ReasonDestinationNotHealthy, false},
		"it becomes healthy": {
			v1.ReasonDestinationNotHealthy, 1, func(w *world) { w.address(two, "192.0.2.1") }, v1.ReasonProjected, true,
		},
		"it misses its deadline": {
			v1.ReasonRolloutInProgress, 3600, func(w *world) {
				w.patch(w.rule("rule"), `{"spec":{"rollout":{"progressDeadlineSeconds":1}}}`)
			}, v1.ReasonDestinationNotHealthy, true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lane := fmt.Sprintf("healthy-%d", worlds.Add(1))
			first, w := servesServices(t, lane)
			w.address(one, "192.0.2.2")
			w.address(three, "192.0.2.3")
			w.patch(w.rule("rule"), fmt.Sprintf(`{"spec":{"rollout":{"until":"Healthy","progressDeadlineSeconds":%d}}}`, test.deadline))
			w.shade("blue")
			w.hues("blue", "blue", "blue")
			w.reports(test.before)
			first.Kill()
			test.meanwhile(w)

			mark := fixture.Mark(t, cluster)
			_, user := serve(t, lane, "second")
			requests := quiet(t, mark, user, 2)
			w.reports(test.after)
			assert.Equal(t, test.writes, slices.ContainsFunc(requests, isWrite), "%v", requests)
			assert.False(t, slices.ContainsFunc(requests, isWriteOfCopy), "%v", requests)
			if test.after != v1.ReasonProjected {
				w.address(two, "192.0.2.1")
				w.reports(v1.ReasonProjected)
			}
		})
	}
}

// TestOptOutReachesAFormerCopyAfterARestart has the renamed copies not be healthy, and somebody take the label of the operator off a former one.
func TestOptOutReachesAFormerCopyAfterARestart(t *testing.T) {
	lane := fmt.Sprintf("healthy-%d", worlds.Add(1))
	first, w := servesServices(t, lane)
	for i, role := range []string{one, two, three} {
		w.address(role, fmt.Sprintf("192.0.2.%d", i+1))
	}
	w.patch(w.rule("rule"), `{"spec":{"rollout":{"until":"Healthy","progressDeadlineSeconds":1},"destination":{"name":"renamed"}}}`)
	w.reports(v1.ReasonRolloutHeld)
	first.Kill()

	mark := fixture.Mark(t, cluster)
	_, user := serve(t, lane, "second")
	quiet(t, mark, user, 2)
	former := w.object("Service", three, "settings")
	require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(former), former))
	w.patch(former, `{"metadata":{"labels":{"`+v1.LabelOwnedByClusterProjectionUID+`":null}}}`)
	w.patch(w.object("Service", home, "settings"), `{"metadata":{"annotations":{"`+v1.AnnotationProjectable+`":"false"}}}`)
	require.Eventually(t, func() bool {
		return apierrors.IsNotFound(w.Client.Get(t.Context(), client.ObjectKeyFromObject(former), former))
	}, timeout, interval, "the former copy stays")
}

func isWriteOfCopy(request env.Request) bool {
	return isWrite(request) && request.Resource == "services"
}

// shade changes the color of the source.
func (w *world) shade(color string) {
	w.T.Helper()
	w.patch(w.object("Service", home, "settings"), `{"spec":{"selector":{"color":"`+color+`"}}}`)
}

// address gives the copy the address for which it waits.
func (w *world) address(role, ip string) {
	w.T.Helper()
	patch := fmt.Sprintf(`{"status":{"loadBalancer":{"ingress":[{"ip":%q}]}}}`, ip)
	require.NoError(w.T, w.Client.Status().Patch(w.T.Context(), w.object("Service", role, "settings"), client.RawPatch(types.MergePatchType, []byte(patch))))
}

// hues waits until the copies in the namespaces one, two and three have these colors.
func (w *world) hues(want ...string) {
	w.T.Helper()
	colors := make([]string, 3)
	assert.Eventually(w.T, func() bool {
		for i, role := range []string{one, two, three} {
			copied := w.object("Service", role, "settings")
			if err := w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(copied), copied); err == nil {
				colors[i], _, _ = unstructured.NestedString(copied.Object, "spec", "selector", "color")
			}
		}
		return slices.Equal(want, colors)
	}, timeout, interval)
	require.Equal(w.T, want, colors)
}
