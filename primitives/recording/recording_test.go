package recording_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/recording"
)

// event is a call of a recorder.
type event struct {
	regarding, related              runtime.Object
	eventType, reason, action, note string
	args                            []any
}

type recorder struct{ events []event }

func (r *recorder) Eventf(regarding, related runtime.Object, eventType, reason, action, note string, args ...any) {
	r.events = append(r.events, event{regarding, related, eventType, reason, action, note, args})
}

func TestEventsOfOperations(t *testing.T) {
	named := metav1.ObjectMeta{Name: "web", Namespace: "shop"}
	owner := &corev1.Namespace{}
	widget := &unstructured.Unstructured{Object: map[string]any{"kind": "Widget", "metadata": map[string]any{"name": "w"}}}
	for name, test := range map[string]struct {
		op                   concepts.ConvergingOperation
		object               client.Object
		pairs                []string
		reason, action, note string
	}{
		"created":         {concepts.ConvergingOperationCreated, &appsv1.Deployment{ObjectMeta: named}, nil, "CreatedDeployment", "Create", "Created Deployment 'web'"},
		"updated":         {concepts.ConvergingOperationUpdated, &appsv1.Deployment{ObjectMeta: named}, nil, "UpdatedDeployment", "Update", "Updated Deployment 'web'"},
		"without a type":  {concepts.ConvergingOperationCreated, widget, nil, "CreatedWidget", "Create", "Created Widget 'w'"},
		"with a pair":     {concepts.ConvergingOperationCreated, widget, []string{"a", "1"}, "CreatedWidget", "Create", "Created Widget 'w' (a=1)"},
		"with pairs":      {concepts.ConvergingOperationUpdated, widget, []string{"a", "1", "b", "2"}, "UpdatedWidget", "Update", "Updated Widget 'w' (a=1, b=2)"},
		"without a value": {concepts.ConvergingOperationUpdated, widget, []string{"a", "1", "b"}, "UpdatedWidget", "Update", "Updated Widget 'w' (a=1, b=)"},
		"verbs are text":  {concepts.ConvergingOperationUpdated, widget, []string{"done", "5%d"}, "UpdatedWidget", "Update", "Updated Widget 'w' (done=5%d)"},
	} {
		t.Run(name, func(t *testing.T) {
			var got recorder
			recording.RecordApplyOperationEvent(&got, test.op, test.object, owner, test.pairs...)
			assert.Equal(t, []event{{owner, test.object, corev1.EventTypeNormal, test.reason, test.action, "%s", []any{test.note}}}, got.events)
		})
	}
}

func TestNoEventForWhatChangedNothing(t *testing.T) {
	for _, op := range []concepts.ConvergingOperation{concepts.ConvergingOperationNone, "", "Odd"} {
		var got recorder
		recording.RecordApplyOperationEvent(&got, op, &corev1.ConfigMap{}, &corev1.Namespace{})
		assert.Empty(t, got.events, op)
	}
}

func TestMissingRecorderIsIgnored(t *testing.T) {
	assert.NotPanics(t, func() {
		recording.RecordApplyOperationEvent(nil, concepts.ConvergingOperationCreated, &corev1.ConfigMap{}, &corev1.Namespace{})
	})
}
