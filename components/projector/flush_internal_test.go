package projector

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/components/destination"
)

// statusOnly is a client that answers every write of a status with the error, and can do nothing else.
type statusOnly struct {
	client.Client
	err     error
	inVain  *int // writes whose time was up
	written *int
}

func (s statusOnly) Status() client.SubResourceWriter { return statusWriter{statusOnly: s} }

type statusWriter struct {
	client.SubResourceWriter
	statusOnly
}

func (s statusWriter) Update(ctx context.Context, _ client.Object, _ ...client.SubResourceUpdateOption) error {
	if s.written != nil {
		*s.written++
	}
	if s.inVain != nil && ctx.Err() != nil {
		*s.inVain++
	}
	return s.err
}

func TestStatusThatCouldNotBeWrittenIsWrittenAgain(t *testing.T) {
	rules := schema.GroupResource{Group: "projection.sh", Resource: "clusterprojections"}
	gone := apierrors.NewNotFound(rules, "rule")
	notServed := apierrors.NewGenericServerResponse(http.StatusNotFound, "put", rules, "rule", "404 page not found", 0, true)
	tests := map[string]struct{ answer, err error }{
		"the rule is gone":             {gone, nil},
		"the path is not served":       {notServed, notServed},
		"the API server has a problem": {apierrors.NewInternalError(assert.AnError), apierrors.NewInternalError(assert.AnError)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b, rule := newFixture(t), newRule()
			b.hub.Client = statusOnly{err: test.answer}
			pass := b.scope(rule)
			pass.local.outcomes = []destination.Outcome{fine("a", destination.Created)}
			_, err := pass.finish(t.Context(), nil)
			if test.err == nil {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.err.Error())
		})
	}
}
