package component_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

// measured keeps what it gets.
type measured struct{ calls []string }

var _ component.MetricsRecorder = (*measured)(nil)

func (m *measured) RecordConditionFor(
	kind string, object component.ConditionObject, conditionType, status, reason string, since time.Time, extra ...string,
) {
	m.calls = append(m.calls, fmt.Sprintf("%s %s/%s: %s %s %s %d %v",
		kind, object.GetNamespace(), object.GetName(), conditionType, status, reason, since.Unix(), extra))
}

func (m *measured) RecordResourceApply(labels component.ResourceMetricLabels, op concepts.ConvergingOperation) {
	m.calls = append(m.calls, fmt.Sprintf("%v %s", labels, op))
}

func (m *measured) RecordResourceApplyError(labels component.ResourceMetricLabels) {
	m.calls = append(m.calls, fmt.Sprintf("%v failed", labels))
}

type identifiable struct {
	*stub
	identifier string
}

func (i identifiable) MetricsIdentifier() string { return i.identifier }

// TestAttemptsToApplyAreCounted reconciles a component of one unowned resource.
func TestAttemptsToApplyAreCounted(t *testing.T) {
	const failed = "{App part configmap ConfigMap} failed"
	boom := errors.New("boom")
	failing := func() *stub {
		s := newStub("ns", "one")
		s.mutate = func(object client.Object) error { *object.(*corev1.ConfigMap) = corev1.ConfigMap{}; return boom }
		return s
	}
	untellable := &alive{stub: newStub("ns", "one"), status: func(concepts.ConvergingOperation) (concepts.AliveStatusWithReason, error) {
		return concepts.AliveStatusWithReason{}, boom
	}}
	named := &stub{object: &unstructured.Unstructured{Object: map[string]any{}}, mutate: func(object client.Object) error {
		object.(*unstructured.Unstructured).Object["apiVersion"], object.(*unstructured.Unstructured).Object["kind"] = "v1", "Widget"
		return nil
	}}
	for name, test := range map[string]struct {
		resource component.Resource
		op       concepts.ConvergingOperation
		err      error
		suspend  bool
		want     []string
	}{
		"created":             {newStub("ns", "one"), concepts.ConvergingOperationCreated, nil, false, []string{"{App part configmap ConfigMap} Created"}},
		"unchanged":           {newStub("ns", "one"), concepts.ConvergingOperationNone, nil, false, []string{"{App part configmap ConfigMap} None"}},
		"with a name":         {identifiable{newStub("ns", "one"), " Settings"}, concepts.ConvergingOperationUpdated, nil, false, []string{"{App part  Settings ConfigMap} Updated"}},
		"with a blank name":   {identifiable{newStub("ns", "one"), " \t"}, concepts.ConvergingOperationUpdated, nil, false, []string{"{App part configmap ConfigMap} Updated"}},
		"named by a mutation": {named, concepts.ConvergingOperationCreated, nil, false, []string{"{App part widget Widget} Created"}},
		"refused":             {newStub("ns", "one"), concepts.ConvergingOperationNone, boom, false, []string{failed}},
		"has to wait":         {newStub("ns", "one"), concepts.ConvergingOperationNone, &component.BlockedError{}, false, nil},
		"guarded":             {newStub("ns", "one").blocked("wait"), concepts.ConvergingOperationNone, nil, false, nil},
		"cannot be mutated":   {failing(), concepts.ConvergingOperationNone, nil, false, []string{failed}},
		"without an object":   {&stub{object: &corev1.ConfigMap{}, objectErr: boom}, concepts.ConvergingOperationNone, nil, false, nil},
		"of an unknown kind":  {&stub{object: &unregistered{}}, concepts.ConvergingOperationNone, nil, false, nil},
		"without a status":    {untellable, concepts.ConvergingOperationUpdated, nil, false, []string{failed}},
		"extraction fails": {
			&extracting{stub: newStub("ns", "one"), extract: func(client.Object) error { return boom }},
			concepts.ConvergingOperationUpdated, nil, false, []string{"{App part configmap ConfigMap} Updated"},
		},
		"suspended": {
			newStub("ns", "one").suspendsAs(concepts.SuspensionStatusSuspended, ""),
			concepts.ConvergingOperationUpdated, nil, true, []string{"{App part configmap ConfigMap} Updated"},
		},
		"not suspended": {
			newStub("ns", "one").suspendsAs(concepts.SuspensionStatusSuspended, ""),
			concepts.ConvergingOperationUpdated, boom, true, []string{failed},
		},
		"left alone by a suspension": {newStub("ns", "one"), concepts.ConvergingOperationUpdated, nil, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got measured
			part := buildPart(t, func(b *component.Builder) { b.Suspend(test.suspend).WithResource(test.resource, component.Unowned()) })
			_, _ = part.Converge(t.Context(), component.ReconcileContext{
				Client: offline{}, Owner: &App{}, Metrics: &got,
				Applier: component.ApplierFunc(func(context.Context, component.ApplyRequest) (concepts.ConvergingOperation, error) {
					return test.op, test.err
				}),
			})
			assert.Equal(t, test.want, got.calls)
		})
	}
}

func TestSuspendedResourceIsCounted(t *testing.T) {
	var got measured
	part := buildPart(t, func(b *component.Builder) {
		b.WithResource(newStub("ns", "one").suspendsAs(concepts.SuspensionStatusSuspended, ""), component.Unowned(), component.SuspendWhen(true))
	})
	_, err := part.Converge(t.Context(), component.ReconcileContext{Client: offline{}, Owner: &App{}, Metrics: &got, Applier: pretended})
	require.NoError(t, err)
	assert.Equal(t, []string{"{App part configmap ConfigMap} None"}, got.calls)
}

// measure reconciles a component and returns what was counted.
func (w *world) measure(configure func(*component.Builder)) []string {
	w.Helper()
	var got measured
	rec := w.context()
	rec.Metrics = &got
	_, _ = w.build(configure).Converge(w.Context(), rec)
	return got.calls
}

func TestAppliesToTheServerAreCounted(t *testing.T) {
	w := newWorld(t)
	both := func(value string) func(*component.Builder) {
		return func(b *component.Builder) {
			b.WithResource(w.stub("one", "key", "a")).WithResource(w.deployment("two", value)).WithResource(w.stub("one-more"), component.DeleteWhen(false))
		}
	}
	const one, more = "{App part configmap ConfigMap} ", "{App part deployment Deployment} "
	assert.Equal(t, []string{one + "Created", more + "Created", one + "Created"}, w.measure(both("a")))
	assert.Equal(t, []string{one + "None", more + "None", one + "None"}, w.measure(both("a")))
	assert.Equal(t, []string{one + "None", more + "Updated", one + "None"}, w.measure(both("b")))
	assert.Empty(t, w.measure(func(b *component.Builder) {
		b.WithResource(w.stub("one"), component.ReadOnly()).
			WithResource(w.stub("one-more"), component.Delete()).
			WithResource(w.deployment("two", "b"), component.OrphanWhen(true))
	}), "what is read, deleted or orphaned does not count")
	w.requireAbsent("one-more", &corev1.ConfigMap{})
}

func TestFailedAppliesToTheServerAreCounted(t *testing.T) {
	const failed = "{App part configmap ConfigMap} failed"
	elsewhere := newStub("default", "one", "key", "value")
	w := newWorld(t)
	assert.Equal(t, []string{failed}, w.measure(func(b *component.Builder) { b.WithResource(elsewhere) }), "the owner cannot own it")
	assert.Equal(t, []string{failed}, w.measure(func(b *component.Builder) { b.WithResource(w.stub("Not A Name")) }))
	w.intercept(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return errors.New("boom")
		},
	})
	assert.Equal(t, []string{failed}, w.measure(func(b *component.Builder) { b.WithResource(w.stub("one")) }), "its existence is not known")
	assert.Empty(t, w.measure(func(b *component.Builder) { b.WithResource(w.stub("one"), component.ReadOnly()) }))
}

func TestFlushedConditionsAreRecorded(t *testing.T) {
	w := newWorld(t)
	var got measured
	rec := w.context()
	rec.Metrics = &got
	w.owner.Status.Conditions = []metav1.Condition{condition("Mine", "staged")}
	require.NoError(t, w.build(nil).Reconcile(t.Context(), rec))
	assert.Empty(t, got.calls, "nothing is written")
	w.writeElsewhere("elsewhere", condition("Theirs", "live"))

	require.NoError(t, component.FlushStatus(t.Context(), rec, []*component.Component{w.build(nil)}))

	want := []string{}
	for _, written := range w.get("owner", &App{}).(*App).Status.Conditions {
		want = append(want, fmt.Sprintf("App %s/owner: %s True %s %d []", w.namespace, written.Type, written.Reason, written.LastTransitionTime.Unix()))
	}
	require.Equal(t, want, got.calls)
	assert.Contains(t, got.calls[0], ": Ready True Healthy ")
	assert.Contains(t, got.calls[1], ": Theirs True Because ", "what was written, not what was staged")
}

// keeper also notes which conditions an owner still has.
type keeper struct {
	measured
	kept [][]string
}

func (k *keeper) KeepConditionsFor(_ string, _ component.ConditionObject, conditionTypes ...string) {
	k.kept = append(k.kept, conditionTypes)
}

func TestConditionsThatAnOwnerLosesAreNotKept(t *testing.T) {
	w := newWorld(t)
	var got keeper
	rec := w.context()
	rec.Metrics = &got
	w.owner.Status.Conditions = []metav1.Condition{condition("Mine", "staged"), condition("Former", "staged")}
	require.NoError(t, component.FlushStatusOf(t.Context(), rec, nil, "Mine", "Former"))
	w.owner.Status.Conditions = w.owner.Status.Conditions[:1]
	require.NoError(t, component.FlushStatusOf(t.Context(), rec, nil, "Mine", "Former"))

	assert.Equal(t, [][]string{{"Mine", "Former"}, {"Mine"}}, got.kept)
}

func TestConditionsThatCannotBeWrittenAreNotRecorded(t *testing.T) {
	w := newWorld(t)
	var got measured
	rec := w.context()
	rec.Metrics = &got
	require.NoError(t, w.build(nil).Reconcile(t.Context(), rec))
	require.NoError(t, w.client.Delete(t.Context(), w.owner.DeepCopyObject().(client.Object)))
	require.Error(t, component.FlushStatus(t.Context(), rec, nil))
	assert.Empty(t, got.calls)
}
