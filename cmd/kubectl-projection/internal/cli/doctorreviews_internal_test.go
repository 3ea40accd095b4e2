package cli

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

// TestReviewsAreAskedOncePerMinute asks twice what an operator may do that may read, and not write.
func TestReviewsAreAskedOncePerMinute(t *testing.T) {
	var asked atomic.Int32
	client := fake.NewSimpleDynamicClient(runtime.NewScheme())
	client.PrependReactor("create", "subjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		asked.Add(1)
		review := action.(clienttesting.CreateAction).GetObject().(*unstructured.Unstructured).DeepCopy()
		verb, _, _ := unstructured.NestedString(review.Object, "spec", "resourceAttributes", "verb")
		return true, review, unstructured.SetNestedField(review.Object, verb == "get" || verb == "list", "status", "allowed")
	})
	now := time.Now()
	r := &reviews{now: func() time.Time { return now }}
	secrets := schema.GroupResource{Resource: "secrets"}
	wanted := needs{of: map[schema.GroupResource]*need{secrets: {resource: secrets, verbs: sets.New("get", "list", "patch", "create")}}}
	for _, total := range []int32{4, 4} {
		missing, err := r.missing(t.Context(), &access.Cluster{Content: client}, "system", []string{"projection"}, wanted)
		require.NoError(t, err)
		assert.Equal(t, []lacking{{"projection", wanted.of[secrets], []string{"create", "patch"}}}, missing)
		assert.Equal(t, total, asked.Load())
	}
	now = now.Add(reviewedFor)
	_, err := r.missing(t.Context(), &access.Cluster{Content: client}, "system", []string{"projection"}, wanted)
	require.NoError(t, err)
	assert.EqualValues(t, 8, asked.Load(), "permissions may have changed")
}
