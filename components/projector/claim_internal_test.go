package projector

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// refusing is a client whose patches are answered with an error.
type refusing struct {
	client.Client
	err error
}

func (r refusing) Patch(context.Context, client.Object, client.Patch, ...client.PatchOption) error {
	return r.err
}

func TestReconcileEndsWhoseRuleCannotBeClaimed(t *testing.T) {
	rules, boom := schema.GroupResource{Resource: "clusterprojections"}, errors.New("boom")
	tests := map[string]struct{ answer, err error }{
		"the rule is gone":     {apierrors.NewNotFound(rules, "rule"), errOutdated},
		"the rule has changed": {apierrors.NewConflict(rules, "rule", boom), errOutdated},
		"nothing is known":     {boom, boom},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			b.hub.Client = refusing{err: test.answer}
			require.ErrorIs(t, b.scope(newRule()).claim(t.Context()), test.err)
		})
	}
}
