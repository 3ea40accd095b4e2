package component_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

// unread is an extracting resource that must not extract.
func (w *world) unread(name string) *extracting {
	return &extracting{stub: w.stub(name), extract: func(client.Object) error { return errors.New("nothing was read") }}
}

func TestReadOnlyResourceIsObservedAndNotTouched(t *testing.T) {
	w := newWorld(t)
	w.applyAs("other", "one", map[string]string{"key": "theirs"})
	before := w.configMap("one")
	var seen string
	resource := &extracting{stub: w.stub("one", "key", "desired"), extract: func(observed client.Object) error {
		seen = observed.(*corev1.ConfigMap).Data["key"]
		return nil
	}}

	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(resource, component.ReadOnly()) }))

	assert.Equal(t, "theirs", seen)
	assert.Equal(t, before, w.configMap("one"))
	assert.Empty(t, w.recorded())
	w.requireCondition(metav1.ConditionTrue, component.Healthy, "Component is healthy.")
}

func TestReadOnlyResourceReportsItsStatusWithoutAnOperation(t *testing.T) {
	w := newWorld(t)
	w.applyAs("other", "one", nil)
	var op concepts.ConvergingOperation
	resource := &alive{stub: w.stub("one"), status: func(o concepts.ConvergingOperation) (concepts.AliveStatusWithReason, error) {
		op = o
		return concepts.AliveStatusWithReason{Status: concepts.AliveConvergingStatusScaling, Reason: "1 of 2"}, nil
	}}
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(resource, component.ReadOnly()) }))
	assert.Equal(t, concepts.ConvergingOperationNone, op)
	w.requireCondition(metav1.ConditionFalse, component.AliveScaling, "1 of 2")
}

func TestAbsentReadOnlyResource(t *testing.T) {
	for name, test := range map[string]struct {
		opts   []component.ResourceOption
		status metav1.ConditionStatus
		reason component.Status
		text   string
		err    bool
		later  bool
	}{
		"is an error": {
			opts: []component.ResourceOption{component.ReadOnly()}, err: true,
			status: metav1.ConditionFalse, reason: component.Error,
			text: `failed to retrieve read-only resource <id> from the k8s api: configmaps "one" not found`,
		},
		"blocks": {
			opts:   []component.ResourceOption{component.ReadOnly(), component.BlockOnAbsence()},
			status: metav1.ConditionFalse, reason: component.GuardBlocked, text: "waiting for <id>",
		},
		"is ignored": {
			opts:   []component.ResourceOption{component.ReadOnly(), component.IgnoreIfAbsent()},
			status: metav1.ConditionTrue, reason: component.Healthy, text: "Component is healthy.", later: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			resource := w.unread("one")
			err := w.reconcile(func(b *component.Builder) { b.WithResource(resource, test.opts...).WithResource(w.stub("later")) })
			assert.Equal(t, test.err, err != nil, "%v", err)
			w.requireCondition(test.status, test.reason, replaceID(test.text, resource))
			if test.later {
				assert.NotNil(t, w.configMap("later"))
			} else {
				w.requireAbsent("later", &corev1.ConfigMap{})
			}
		})
	}
}

// refusing does not take what was read.
type refusing struct{ *stub }

func (refusing) RecordObservation(client.Object) error { return errors.New("boom") }

func TestErrorsOfReading(t *testing.T) {
	w := newWorld(t)
	w.applyAs("other", "one", nil)
	broken := w.stub("one")
	broken.objectErr = errors.New("boom")
	for want, resource := range map[string]component.Resource{
		"failed to retrieve read-only object from resource <id>: boom": broken,
		"failed to record observation for resource <id>: boom":         refusing{w.stub("one")},
	} {
		err := w.reconcile(func(b *component.Builder) { b.WithResource(resource, component.ReadOnly()) })
		require.EqualError(t, err, replaceID(want, resource))
	}
}

func TestReadOnlyResourceIsReadThroughTheClient(t *testing.T) {
	w := newWorld(t)
	w.applyAs("other", "one", nil)
	rec := w.context()
	rec.APIReader = offline{}
	part := w.build(func(b *component.Builder) { b.WithResource(w.stub("one"), component.ReadOnly()) })
	require.NoError(t, part.Reconcile(t.Context(), rec))
}
