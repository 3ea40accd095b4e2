package integration_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// TestCopyHasToBeHealthyWhenItIsReady has a copy lose its address before minReadySeconds have passed.
func TestCopyHasToBeHealthyWhenItIsReady(t *testing.T) {
	f := newFronts(t, 1, inWaves)
	f.address("front", f.canary)
	f.address("front", f.others...)
	f.Ready(f.rule)
	f.Merge(f.rule, `{"spec":{"rollout":{"minReadySeconds":8,"progressDeadlineSeconds":2}}}`)
	f.Ready(f.rule)
	mark := fixture.Mark(t, cluster)
	f.edit()
	f.has("blue", "front", f.canary)
	f.isRead(mark, f.canary, "front")
	f.noAddress("front", f.canary)
	f.Says(f.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRolloutHeld)
	f.has("red", "front", f.others...)
	f.address("front", f.canary)
	f.has("blue", "front", f.others...)
}

// TestCopyThatCannotBeReadHasTime has the API server answer no read of a copy for longer than its deadline.
func TestCopyThatCannotBeReadHasTime(t *testing.T) {
	f := newFronts(t, 1, inWaves)
	f.address("front", f.canary)
	f.address("front", f.others...)
	f.Ready(f.rule)
	failing := make(chan struct{})
	hook(t, func(r *http.Request) *http.Response {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/namespaces/"+f.canary+"/services/front") {
			select {
			case <-failing:
			default:
				return internalError(r)
			}
		}
		return nil
	})
	f.Merge(f.rule, `{"spec":{"rollout":{"progressDeadlineSeconds":1}}}`)
	f.edit()
	f.reports(v1.ReasonRolloutInProgress, "wave 1 of 2: 1 of 2 copies have the present content; 1 of them is not healthy yet")
	f.settles()
	f.reports(v1.ReasonRolloutInProgress, "wave 1 of 2: 1 of 2 copies have the present content; 1 of them is not healthy yet")
	f.has("red", "front", f.others...)
	close(failing)
	f.Ready(f.rule)
	f.has("blue", "front", f.others...)
	assert.Equal(t, &v1.RolloutStatus{Introduced: true}, f.rule.Status.Rollout)
}
