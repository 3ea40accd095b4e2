package memory_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/projector/internal/memory"
)

const longest = 5 * time.Minute

var (
	refused = apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "settings", assert.AnError)
	target  = lane.Target{NamespacedName: types.NamespacedName{Namespace: "tenant", Name: "settings"}}
)

func failedWrite(content string, basis uint64, err error) destination.Outcome {
	return destination.Outcome{Reason: "DestinationCreateFailed", Content: content, Basis: basis, Err: err}
}

func TestRefusedWriteBacksOff(t *testing.T) {
	var failures memory.Failures
	at, waits := now, []time.Duration(nil)
	for range 11 {
		failed := failures.Add(target, failedWrite("red", 1, refused), at, longest)
		waits = append(waits, failed.RetryAfter)
		held, found := failures.Held(target, "red", 1, at.Add(failed.RetryAfter/2))
		assert.True(t, found)
		assert.Equal(t, failed.RetryAfter/2, held.RetryAfter)
		assert.Equal(t, failed.Reason, held.Reason, "the condition goes on to say so")
		at = at.Add(failed.RetryAfter)
		_, found = failures.Held(target, "red", 1, at)
		assert.False(t, found)
	}
	s := time.Second
	assert.Equal(t, []time.Duration{1 * s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 64 * s, 128 * s, 256 * s, longest, longest}, waits)
}

func TestRefusedWriteIsTriedAtOnceWhen(t *testing.T) {
	later := now.Add(time.Second)
	tests := map[string]struct {
		content string
		basis   uint64
		again   time.Duration // the next backoff
	}{
		"the content is another one": {"blue", 1, 4 * time.Second},
		"the basis has changed":      {"red", 2, time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var failures memory.Failures
			failures.Add(target, failedWrite("red", 1, refused), now, longest)
			failures.Add(target, failedWrite("red", 1, refused), later, longest)
			_, held := failures.Held(target, test.content, test.basis, later)
			assert.False(t, held)
			failed := failures.Add(target, failedWrite(test.content, test.basis, refused), later, longest)
			assert.Equal(t, test.again, failed.RetryAfter)
		})
	}
}

// TestOtherFailuresAreNotHeld has writes fail that may succeed when they are repeated. The queue retries the rule for them.
func TestOtherFailuresAreNotHeld(t *testing.T) {
	for _, err := range []error{assert.AnError, apierrors.NewInternalError(assert.AnError), apierrors.NewTooManyRequests("busy", 1), nil} {
		var failures memory.Failures
		failed := failures.Add(target, failedWrite("red", 1, err), now, longest)
		assert.Zero(t, failed.RetryAfter)
		_, held := failures.Held(target, "red", 1, now)
		assert.False(t, held, "%v", err)
		_, known := failures.Last(target, "red")
		assert.True(t, known)
	}
}

func TestFailuresOfOtherTargetsAreForgotten(t *testing.T) {
	var failures memory.Failures
	failures.Add(target, failedWrite("red", 1, refused), now, longest)
	failures.RetainWrites(map[types.NamespacedName]bool{target.NamespacedName: true})
	assert.Len(t, failures, 1)
	failures.RetainDeletions(nil)
	assert.Len(t, failures, 1, "it is no deletion")
	failures.RetainWrites(nil)
	assert.Empty(t, failures, "a namespace that comes back is tried at once")
}

// TestFailureOfADeletionIsForgottenWhenNothingIsToBeDeleted lets somebody else delete what could not be deleted.
func TestFailureOfADeletionIsForgottenWhenNothingIsToBeDeleted(t *testing.T) {
	var failures memory.Failures
	failures.Add(target, failedWrite("", 0, assert.AnError), now, longest)
	failures.RetainWrites(nil)
	failures.RetainDeletions(map[types.NamespacedName]bool{target.NamespacedName: true})
	assert.Len(t, failures, 1)
	failures.RetainDeletions(nil)
	assert.Empty(t, failures)
}
