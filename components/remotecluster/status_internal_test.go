package remotecluster

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
)

var now = time.Date(2026, 8, 1, 10, 0, 0, 0, time.UTC)

// notProbed is the cause of a new gate.
func notProbed() error {
	_, cause := fleet.NewGate(testingclock.NewFakeClock(now), semaphore.NewWeighted(1)).State()
	return cause
}

// connection is a cluster that has been reached, or not been reached, for so long.
func connection(seconds int, cause error) *found {
	return &found{since: now.Add(-time.Duration(seconds) * time.Second), cause: cause, host: "eu-1:6443", identity: "a", version: "v1.37.0", fence: fleet.Fence{Kind: fleet.LeaseHeld}, review: review{verdict: allPermitted}}
}

func said(kind string, status metav1.ConditionStatus, reason string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: "before", LastTransitionTime: metav1.Time{Time: now.Add(-time.Hour)}}
}

func TestStatus(t *testing.T) {
	const yes, no = metav1.ConditionTrue, metav1.ConditionFalse
	connected := said(v1alpha1.ConditionConnected, yes, v1alpha1.ReasonConnected)
	unreachable := said(v1alpha1.ConditionConnected, no, v1alpha1.ReasonUnreachable)
	duplicate := said(v1alpha1.ConditionAccepted, no, v1alpha1.ReasonDuplicateIdentity)
	missing := &problem{v1alpha1.ReasonSecretNotFound, "there is no Secret a/b", "create it"}
	cut := errors.New("cut")
	tests := map[string]struct {
		facts  facts
		before []metav1.Condition
		want   [3]string // Accepted, Connected, Ready
		wait   time.Duration
	}{
		"connected":           {facts{found: connection(1, nil)}, nil, [3]string{"Accepted", "Connected", "Connected"}, 0},
		"not yet":             {facts{found: connection(1, notProbed())}, nil, [3]string{"Accepted", "Connecting", "Connecting"}, 0},
		"missing":             {facts{declared: missing}, nil, [3]string{"SecretNotFound", "Connecting", "SecretNotFound"}, 0},
		"deleted":             {facts{declared: missing, found: connection(1, nil)}, nil, [3]string{"SecretNotFound", "Connected", "SecretNotFound"}, 0},
		"deleted before":      {facts{declared: missing}, []metav1.Condition{connected}, [3]string{"SecretNotFound", "Connecting", "SecretNotFound"}, 0},
		"duplicate":           {facts{duplicate: "b", found: connection(1, nil)}, nil, [3]string{"DuplicateIdentity", "Connected", "DuplicateIdentity"}, 0},
		"cut just now":        {facts{found: connection(1, cut)}, []metav1.Condition{connected}, [3]string{"Accepted", "Connected", "Connected"}, 4 * time.Second},
		"cut":                 {facts{found: connection(5, cut)}, []metav1.Condition{connected}, [3]string{"Accepted", "Unreachable", "Unreachable"}, 0},
		"never connected":     {facts{found: connection(1, cut)}, nil, [3]string{"Accepted", "Unreachable", "Unreachable"}, 0},
		"refused just now":    {facts{found: connection(1, answer(http.StatusUnauthorized))}, []metav1.Condition{connected}, [3]string{"Accepted", "Unauthorized", "Unauthorized"}, 0},
		"replaced just now":   {facts{found: connection(1, &fleet.IdentityError{Pinned: "a", Found: "b"})}, []metav1.Condition{connected}, [3]string{"Accepted", "IdentityChanged", "IdentityChanged"}, 0},
		"started":             {facts{found: connection(1, notProbed())}, []metav1.Condition{connected}, [3]string{"Accepted", "Connected", "Connected"}, 19 * time.Second},
		"started before":      {facts{found: connection(20, notProbed())}, []metav1.Condition{connected}, [3]string{"Accepted", "Connecting", "Connecting"}, 0},
		"started unreachable": {facts{found: connection(1, notProbed())}, []metav1.Condition{unreachable}, [3]string{"Accepted", "Unreachable", "Unreachable"}, 19 * time.Second},
		"started as a duplicate": {
			facts{found: &found{since: now, cause: notProbed()}}, []metav1.Condition{connected, duplicate},
			[3]string{"DuplicateIdentity", "Connected", "DuplicateIdentity"}, 20 * time.Second,
		},
		"no longer a duplicate": {facts{found: connection(0, nil)}, []metav1.Condition{connected, duplicate}, [3]string{"Accepted", "Connected", "Connected"}, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			remote := &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Generation: 7}, Status: v1alpha1.RemoteClusterStatus{Conditions: test.before}}
			test.facts.now = now
			status, wait := test.facts.status(remote)
			assert.Equal(t, test.wait, wait)
			for i, kind := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionConnected, v1alpha1.ConditionReady} {
				condition := meta.FindStatusCondition(status.Conditions, kind)
				require.NotNil(t, condition, kind)
				assert.Equal(t, test.want[i], condition.Reason, kind)
				assert.EqualValues(t, 7, condition.ObservedGeneration)
				assert.NotEmpty(t, condition.Message)
			}
			again, _ := test.facts.status(&v1alpha1.RemoteCluster{ObjectMeta: remote.ObjectMeta, Status: status})
			assert.Equal(t, status, again, "nothing changes if nothing has changed")
		})
	}
}

func TestStatusOfWhatWasFound(t *testing.T) {
	remote := &v1alpha1.RemoteCluster{}
	found := connection(60, nil)
	found.expiry = now.Add(time.Millisecond)
	status, _ := facts{found: found, now: now}.status(remote)
	assert.Equal(t, "a", status.Identity)
	assert.Equal(t, "v1.37.0", status.Version)
	assert.Equal(t, now, status.CredentialsExpire.Time)
	assert.Equal(t, found.since, meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionConnected).LastTransitionTime.Time, "since")

	remote.Status = status
	status, _ = facts{now: now}.status(remote)
	assert.Equal(t, "a", status.Identity, "it stays pinned without a connection")
	assert.Equal(t, "v1.37.0", status.Version)
	found.cause, found.identity = &fleet.IdentityError{Pinned: "b", Found: "a"}, "b"
	status, _ = facts{found: found, now: now}.status(remote)
	assert.Equal(t, "a", status.Identity, "no other one is proven")
	status, _ = facts{found: connection(1, nil), duplicate: "b", now: now}.status(&v1alpha1.RemoteCluster{})
	assert.Empty(t, status.Identity, "that of another RemoteCluster is not recorded")
}

func TestNewAccessThatDoesNotWork(t *testing.T) {
	found := connection(60, nil)
	found.failure = answer(http.StatusUnauthorized)
	status, _ := facts{found: found, now: now}.status(&v1alpha1.RemoteCluster{})
	condition := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionConnected)
	assert.Equal(t, metav1.ConditionTrue, condition.Status)
	assert.Equal(t, "the new access does not work; the former one stays in use; put other ones into the kubeconfig (the cluster does not accept the "+
		"credentials)", condition.Message)
}

func TestPausedIsNotReady(t *testing.T) {
	remote := &v1alpha1.RemoteCluster{Spec: v1alpha1.RemoteClusterSpec{Paused: true}}
	status, _ := facts{found: connection(1, nil), now: now}.status(remote)
	ready := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady)
	assert.Equal(t, v1alpha1.ReasonPaused, ready.Reason)
	assert.Equal(t, metav1.ConditionFalse, ready.Status)
	status, _ = facts{found: connection(1, errors.New("cut")), now: now}.status(remote)
	assert.Equal(t, v1alpha1.ReasonUnreachable, meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady).Reason)
}
