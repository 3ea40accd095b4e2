package destination

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

func TestOneCopyIsRecreatedAtATime(t *testing.T) {
	clock := newTimer()
	one, two := Place{NamespacedName: types.NamespacedName{Namespace: "one"}}, Place{NamespacedName: types.NamespacedName{Namespace: "two"}}
	r := NewRecreations(clock.clock)
	expired, cancel := context.WithCancel(t.Context())
	cancel()

	require.True(t, r.begin(t.Context(), one, "content"))
	assert.False(t, r.begin(expired, two, "content"))
	assert.True(t, r.isWaiting(two, "content"))
	assert.False(t, r.isWaiting(two, "other"))
	assert.False(t, r.isMissing(one))
	r.deleted(one, "content")
	assert.True(t, r.isMissing(one))
	assert.True(t, r.isRecent(one, "content", State{}))
	assert.False(t, r.isRecent(one, "other", State{}))
	assert.False(t, r.isRecent(two, "content", State{}))
	r.end()
	assert.False(t, r.begin(t.Context(), two, "content"), "one is missing still")
	require.True(t, r.begin(t.Context(), one, "content"))
	r.end()
	r.written(two)
	assert.False(t, r.begin(t.Context(), two, "content"))
	r.written(one)
	require.True(t, r.begin(t.Context(), two, "content"))
	assert.False(t, r.isWaiting(two, "content"))
	r.deleted(two, "content")
	r.end()
	assert.False(t, r.begin(t.Context(), one, "content"))
	clock.after(missingPause)
	require.True(t, r.begin(t.Context(), one, "content"), "nobody waits for ever")
	r.end()

	clock.after(recreatePause - missingPause - time.Second)
	assert.True(t, r.isRecent(two, "content", State{}))
	clock.after(time.Second)
	assert.False(t, r.isRecent(two, "content", State{}))
	r.deleted(two, "other")
	assert.Len(t, r.made, 1)
}
