package primitives_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

const (
	created   = concepts.ConvergingOperationCreated
	updated   = concepts.ConvergingOperationUpdated
	unchanged = concepts.ConvergingOperationNone
)

// health is what a resource reports about an object: a status and its reason, and the same by grace.
type health struct{ status, reason, grace, graceReason string }

// requireHealth checks what the default handlers of a kind say about an object that was applied.
func requireHealth(t *testing.T, k kind, op concepts.ConvergingOperation, object client.Object, want health) {
	t.Helper()
	built := observe(t, k, object)
	var got health
	switch built := built.(type) {
	case concepts.Alive:
		status, err := built.ConvergingStatus(op)
		require.NoError(t, err)
		got.status, got.reason = string(status.Status), status.Reason
	case concepts.Operational:
		status, err := built.ConvergingStatus(op)
		require.NoError(t, err)
		got.status, got.reason = string(status.Status), status.Reason
	case concepts.Completable:
		status, err := built.ConvergingStatus(op)
		require.NoError(t, err)
		got.status, got.reason = string(status.Status), status.Reason
	}
	if graceful, ok := built.(concepts.Graceful); ok {
		status, err := graceful.GraceStatus()
		require.NoError(t, err)
		got.grace, got.graceReason = string(status.Status), status.Reason
	}
	assert.Equal(t, want, got, op)
}

// requireSuspension checks what the default handlers of a kind say about an object that is being suspended.
func requireSuspension(t *testing.T, k kind, object client.Object, status concepts.SuspensionStatus, reason string) {
	t.Helper()
	got, err := observe(t, k, object).(concepts.Suspendable).SuspensionStatus()
	require.NoError(t, err)
	assert.Equal(t, concepts.SuspensionStatusWithReason{Status: status, Reason: reason}, got)
}

// suspended returns what is applied to suspend a new object of the kind.
func suspended(t *testing.T, k kind) client.Object {
	t.Helper()
	built := build(t, k, options{})
	require.NoError(t, built.(concepts.Suspendable).Suspend())
	object := k.object()
	require.NoError(t, built.Mutate(object))
	return object
}

// named returns the kind of that identity.
func named(t *testing.T, identity string) kind {
	t.Helper()
	var found kind
	forEach(func(k kind) {
		if k.identity == identity {
			found = k
		}
	})
	require.NotEmpty(t, found.identity, "no kind %s", identity)
	return found
}

// TestDeletionOnSuspension names the kinds that are deleted when they are suspended.
func TestDeletionOnSuspension(t *testing.T) {
	var deleted []string
	forEach(func(k kind) {
		if suspendable, ok := build(t, k, options{}).(concepts.Suspendable); ok && suspendable.DeleteOnSuspend() {
			deleted = append(deleted, k.identity)
		}
	})
	assert.ElementsMatch(t, []string{
		"apps/v1/DaemonSet/ns/name", "v1/Pod/ns/name", "batch/v1/Job/ns/name", "autoscaling/v2/HorizontalPodAutoscaler/ns/name",
	}, deleted)
}

// TestSuspensionsThatChangeNothing names the kinds that a suspension deletes, or leaves as they are.
func TestSuspensionsThatChangeNothing(t *testing.T) {
	for identity, reason := range map[string]string{
		"apps/v1/DaemonSet/ns/name":                      "DaemonSet deleted on suspend",
		"v1/Pod/ns/name":                                 "Pod deleted on suspend",
		"v1/Service/ns/name":                             "Service unaffected by suspension",
		"networking.k8s.io/v1/Ingress/ns/name":           "Ingress suspended (backend unavailable)",
		"autoscaling/v2/HorizontalPodAutoscaler/ns/name": "HorizontalPodAutoscaler suspended to prevent scaling interference",
		"v1/PersistentVolumeClaim/ns/name":               "PVC does not require suspension actions",
	} {
		t.Run(identity, func(t *testing.T) {
			k := named(t, identity)
			assert.Equal(t, k.object(), suspended(t, k))
			requireSuspension(t, k, k.object(), concepts.SuspensionStatusSuspended, reason)
		})
	}
}
