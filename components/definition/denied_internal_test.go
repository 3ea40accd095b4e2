package definition

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

// refusing is an API server that permits no read.
type refusing struct {
	client.Reader
	reads int
}

func (r *refusing) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	r.reads++
	return apierrors.NewForbidden(schema.GroupResource{Resource: "customresourcedefinitions"}, "", errors.New("no"))
}

func TestDefinitionThatMayNeverBeReadIsReadAtIntervalsInTheEnd(t *testing.T) {
	api := &refusing{}
	d := New(api, v1.KindProjection, &v1.Projection{}, time.Minute)
	now := time.Now()
	d.clock = func() time.Time { return now }
	reconciles := func(of int) (reads int) {
		before := api.reads
		for range of {
			assert.False(t, d.AllFieldsKnown(t.Context()))
		}
		return api.reads - before
	}

	assert.Equal(t, 3, reconciles(3), "permission often comes just after the start")
	now = now.Add(time.Minute)
	assert.Equal(t, 1, reconciles(3), "a minute after the first refusal")
	now = now.Add(59 * time.Second)
	assert.Zero(t, reconciles(3))
	now = now.Add(time.Second)
	assert.Equal(t, 1, reconciles(3))
}
