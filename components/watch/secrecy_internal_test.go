package watch

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// TestStreamOfSecretsQuotesNothing lets the list, the watch and an event of it fail. The reflector logs the errors that it gets.
func TestStreamOfSecretsQuotesNothing(t *testing.T) {
	const canary = "c4n4ry"
	secrets := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	quoting := runtime.NewMissingKindErr(canary)
	inner := watch.NewRaceFreeFake()
	unopened := quoting
	source := Source{
		List:  func(context.Context, metav1.ListOptions) (runtime.Object, error) { return nil, quoting },
		Watch: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return inner, unopened },
	}.Of(secrets)
	stream := &Stream{change: make(chan struct{})}
	lists := cache.ToListerWatcherWithContext(stream.observed(source))

	_, err := lists.ListWithContext(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, quoting)
	assert.NotContains(t, err.Error(), canary)
	assert.NotContains(t, stream.Failure().Error(), canary)

	_, err = lists.WatchWithContext(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, quoting)
	assert.NotContains(t, err.Error(), canary)
	assert.NotContains(t, stream.Failure().Error(), canary)

	unopened = nil
	events, err := lists.WatchWithContext(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	defer events.Stop()
	inner.Error(&apierrors.NewInternalError(errors.New(canary)).ErrStatus)
	failure := apierrors.FromObject((<-events.ResultChan()).Object)
	assert.True(t, apierrors.IsInternalError(failure))
	assert.NotContains(t, failure.Error(), canary)
}
