package watch_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"

	"projection.sh/operator/components/watch"
)

func TestNamespacesInTheCacheAreTrimmed(t *testing.T) {
	namespace := watch.NewNamespace()
	namespace.Name, namespace.Labels = "tenant", map[string]string{"team": "a"}
	namespace.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
	longest := strings.Repeat("a", 1024)
	namespace.Annotations = map[string]string{
		"contact": "a@example.com", "longest": longest, "longer": longest + "a", "kubectl.kubernetes.io/last-applied-configuration": "{}",
	}
	trimmed, err := watch.TrimNamespace(namespace)
	require.NoError(t, err)
	assert.Same(t, namespace, trimmed)
	assert.Equal(t, map[string]string{"contact": "a@example.com", "longest": longest}, namespace.Annotations)
	assert.Equal(t, map[string]string{"team": "a"}, namespace.Labels)
	assert.Empty(t, namespace.ManagedFields)

	last := toolscache.DeletedFinalStateUnknown{Key: "tenant"}
	trimmed, err = watch.TrimNamespace(last)
	require.NoError(t, err)
	assert.Equal(t, last, trimmed)
}
