package remotecluster

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
)

func TestFenced(t *testing.T) {
	held := said(v1alpha1.ConditionFenced, metav1.ConditionTrue, v1alpha1.ReasonLeaseHeld)
	tests := map[string]struct {
		fence  fleet.Fence
		before []metav1.Condition
		reason string
		ready  string
	}{
		"held":          {fleet.Fence{Kind: fleet.LeaseHeld}, nil, "LeaseHeld", "Connected"},
		"not asked":     {fleet.Fence{}, nil, "Connecting", "Connecting"},
		"started":       {fleet.Fence{}, []metav1.Condition{held}, "LeaseHeld", "Connected"},
		"another":       {fleet.Fence{Kind: fleet.HeldByAnother, Holder: "b"}, []metav1.Condition{held}, "HeldByAnother", "HeldByAnother"},
		"not permitted": {fleet.Fence{Kind: fleet.LeaseNotPermitted}, nil, "LeaseNotPermitted", "Connected"},
		"no namespace":  {fleet.Fence{Kind: fleet.HomeMissing}, nil, "HomeMissing", "Connected"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			found := connection(1, nil)
			found.fence = test.fence
			status, _ := facts{found: found, now: now}.status(&v1alpha1.RemoteCluster{Status: v1alpha1.RemoteClusterStatus{Conditions: test.before}})
			fenced := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionFenced)
			assert.Equal(t, test.reason, fenced.Reason)
			assert.Contains(t, fenced.Message, map[bool]string{true: "before", false: "lease"}[name == "started"])
			assert.Equal(t, test.ready, meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady).Reason)
		})
	}
}

func TestUnsuitable(t *testing.T) {
	found := connection(1, nil)
	found.suitable = fleet.Unsuitable
	status, _ := facts{found: found, now: now}.status(&v1alpha1.RemoteCluster{})
	for _, kind := range []string{v1alpha1.ConditionConnected, v1alpha1.ConditionReady} {
		condition := meta.FindStatusCondition(status.Conditions, kind)
		assert.Equal(t, v1alpha1.ReasonUnsuitable, condition.Reason, kind)
		assert.Equal(t, metav1.ConditionFalse, condition.Status, kind)
		assert.Contains(t, condition.Message, "(eu-1:6443)")
	}
}

func TestNameOfTheLease(t *testing.T) {
	assert.Equal(t, "projection-5b7d6c1e9f0a", leaseOf("5b7d6c1e-9f0a-4c0e-8a53-6f8e6f2d9b11"))
	assert.Equal(t, "projection-a", leaseOf("a"))
}
