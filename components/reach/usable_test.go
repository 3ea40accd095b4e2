package reach_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/reach"
)

// TestProcessThatHasStarted has a process not know yet a cluster that an earlier one was connected to.
func TestProcessThatHasStarted(t *testing.T) {
	reasons := reach.Reasons{Condition: v1.ConditionSourceResolved, Unreachable: v1.ReasonSourceClusterUnreachable}
	connected := &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: "eu-1"}}
	meta.SetStatusCondition(&connected.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionConnected, Status: metav1.ConditionTrue})
	require.ErrorIs(t, reasons.Unusable(connected, nil, time.Now()), plan.ErrNotRead)

	var stopped *plan.Error
	require.ErrorAs(t, reasons.Unusable(&v1alpha1.RemoteCluster{}, nil, time.Now()), &stopped)
	assert.Equal(t, v1.ReasonSourceClusterUnreachable, stopped.Reason)
	assert.Contains(t, stopped.Message, "is not connected")
}

// TestClusterThatWasNeverTheOne has spec.identity name another cluster than the one that answers.
func TestClusterThatWasNeverTheOne(t *testing.T) {
	reasons := reach.Reasons{Condition: v1.ConditionDestinationWritten, Unreachable: v1.ReasonClusterUnreachable, Changed: v1.ReasonClusterChanged}
	another := &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: "eu-1"}}
	meta.SetStatusCondition(&another.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionConnected, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonIdentityChanged,
	})
	var stopped *plan.Error
	require.ErrorAs(t, reasons.Unusable(another, nil, time.Now()), &stopped)
	assert.Equal(t, v1.ReasonClusterChanged, stopped.Reason)
	assert.Contains(t, stopped.Message, "another cluster answers in place of eu-1")
}
