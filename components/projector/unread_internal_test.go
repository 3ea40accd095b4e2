package projector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	metadatafake "k8s.io/client-go/metadata/fake"
	kubetesting "k8s.io/client-go/testing"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/source"
)

// failingReader returns a reader whose reads of content fail with the error, and of metadata with the other one; nil: they succeed.
func failingReader(t *testing.T, content, metadata error, annotations map[string]string) *source.Reader {
	t.Helper()
	dynamic := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme())
	dynamic.PrependReactor("get", "*", func(kubetesting.Action) (bool, runtime.Object, error) { return true, nil, content })
	scheme := metadatafake.NewTestScheme()
	require.NoError(t, metav1.AddMetaToScheme(scheme))
	found := metadatafake.NewSimpleMetadataClient(scheme, &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "home", Name: "settings", Annotations: annotations},
	})
	if metadata != nil {
		found.PrependReactor("get", "*", func(kubetesting.Action) (bool, runtime.Object, error) { return true, nil, metadata })
	}
	return source.NewReader(dynamic, found)
}

// TestOptOutHoldsWhileRequestsOfTheAccountFail has a tenant whose requests the API server throttles.
func TestOptOutHoldsWhileRequestsOfTheAccountFail(t *testing.T) {
	f := newFixture(t)
	s := f.scope(newRule())
	s.named().spec.Account = &v1.ServiceAccountRef{Namespace: "tenant", Name: "writer"}
	s.local.member.Reader = failingReader(t, apierrors.NewTooManyRequests("busy", 1), nil, map[string]string{v1.AnnotationProjectable: "false"})
	object, problem, err := s.planner.ReadSource(t.Context(), s.rule, s.spec, s.kind, s.named().fetch)
	require.NoError(t, err)
	assert.Nil(t, object)
	assert.Equal(t, v1.ReasonSourceOptedOut, problem.Reason)
}

// TestRuleThatNeedsAnAccountAsksAgainWhetherTheOwnerConsents has the read of metadata fail once.
func TestRuleThatNeedsAnAccountAsksAgainWhetherTheOwnerConsents(t *testing.T) {
	f := newFixture(t)
	f.planner.RequireAccount = true
	s := f.scope(newRule())
	s.local.member.Reader = failingReader(t, assert.AnError, apierrors.NewServiceUnavailable("later"), nil)
	_, problem, err := s.planner.ReadSource(t.Context(), s.rule, s.spec, s.kind, s.named().fetch)
	assert.True(t, problem.IsZero())
	_, failure := s.queueResult(err)
	assert.Error(t, failure, "the queue tries again")
}

// TestReadThatIsRefusedIsTriedMoreAndMoreSeldom has a service account that never gets the permission.
func TestReadThatIsRefusedIsTriedMoreAndMoreSeldom(t *testing.T) {
	f := newFixture(t)
	s := f.scope(newRule())
	s.config.Requeue = 30 * time.Second
	s.named().spec.Account = &v1.ServiceAccountRef{Namespace: "tenant", Name: "writer"}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "settings", nil)
	s.local.member.Reader = failingReader(t, forbidden, nil, map[string]string{v1.AnnotationProjectable: v1.ProjectableTrue})
	_, _, err := s.planner.ReadSource(t.Context(), s.rule, s.spec, s.kind, s.named().fetch)
	var stopped *plan.Error
	require.ErrorAs(t, err, &stopped)
	assert.True(t, s.isStalled(err))
	var pauses []time.Duration
	for range 12 {
		result, failure := s.queueResult(err)
		require.NoError(t, failure)
		pauses = append(pauses, result.RequeueAfter)
	}
	assert.Equal(t, time.Second, pauses[0])
	assert.Equal(t, 2*time.Second, pauses[1])
	assert.Equal(t, 5*time.Minute, pauses[len(pauses)-1])
}
