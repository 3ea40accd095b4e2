package watch

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// broken is a store that panics.
type broken struct{ cache.ReflectorStore }

func (broken) Add(any) error               { panic("secret") }
func (broken) Update(any) error            { panic("secret") }
func (broken) Delete(any) error            { panic("secret") }
func (broken) Replace([]any, string) error { panic("secret") }

func TestPanicOfAStoreIsAnError(t *testing.T) {
	stream := &Stream{change: make(chan struct{})}
	store := observedStore{broken{}, stream}
	for name, event := range map[string]func() error{
		"add":     func() error { return store.Add(nil) },
		"update":  func() error { return store.Update(nil) },
		"delete":  func() error { return store.Delete(nil) },
		"replace": func() error { return store.Replace(nil, "") },
	} {
		err := event()
		require.ErrorIs(t, err, errPanic, name)
		assert.NotContains(t, err.Error(), "secret")
	}
	require.ErrorIs(t, stream.Failure(), errPanic, "the watch does not follow")
}

// TestPanicLeavesNoLock has an event fail half way.
func TestPanicLeavesNoLock(t *testing.T) {
	kind := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	s := &Sources{slots: map[schema.GroupVersionResource]map[types.NamespacedName]*slot{
		kind: {{Namespace: "here", Name: "it"}: nil},
	}}
	object := &metav1.ObjectMeta{Namespace: "here", Name: "it"}
	require.ErrorIs(t, catchPanic(func() error { s.changed(kind, object, false); return nil }), errPanic)
	assert.Empty(t, s.LastVersion(kind, types.NamespacedName{Namespace: "other", Name: "it"}), "others are served")
}
