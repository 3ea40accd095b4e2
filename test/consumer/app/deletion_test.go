package app_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "shop.example.com/webapp/api/v1"
)

// TestDeletionIsLeftToTheGarbageCollector checks what the garbage collector goes by.
func TestDeletionIsLeftToTheGarbageCollector(t *testing.T) {
	w := newWorld(t)
	w.createCredentials("first")
	w.running(withCredentials)
	owner := w.app()
	children := w.children()
	require.Len(t, children, 7)
	for name, child := range children {
		assert.Equal(t, name != "Secret db", metav1.IsControlledBy(child, owner), name)
	}
	assert.Empty(t, owner.Finalizers)

	require.NoError(t, w.client.Delete(t.Context(), owner))
	w.absent(&v1.WebApp{}, "web")
	w.reconcile()
	assert.Equal(t, children, w.children())
}
