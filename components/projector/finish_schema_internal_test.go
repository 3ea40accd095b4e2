package projector

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/definition"
)

// failingReader is an API server that answers every read with an error.
type failingReader struct {
	client.Reader
	err error
}

func (r failingReader) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return r.err
}

// TestRuleIsReconciledAgainWhenItsDefinitionCanBeRead expects that a status to which a field may be missing is completed without an event.
func TestRuleIsReconciledAgainWhenItsDefinitionCanBeRead(t *testing.T) {
	definitions := schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}
	for name, test := range map[string]struct {
		err   error
		again bool
	}{
		"an API server that does not answer":     {context.DeadlineExceeded, true},
		"an operator that is not allowed to get": {apierrors.NewForbidden(definitions, "clusterprojections.projection.sh", nil), false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			b.hub.Client = unread
			b.hub.Schema = definition.New(failingReader{err: test.err}, v1.KindClusterProjection, &v1.ClusterProjection{}, b.config.Requeue)
			s := b.scope(newRule())
			result, err := s.finish(t.Context(), nil)
			require.NoError(t, err)
			assert.Zero(t, result, "nobody has asked for the definition")

			assert.False(t, s.hub.Schema.AllFieldsKnown(t.Context()))
			result, err = s.finish(t.Context(), nil)
			require.NoError(t, err)
			assert.Equal(t, test.again, result.RequeueAfter == b.config.Requeue, "%v", result)
		})
	}
}
