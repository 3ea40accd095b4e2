package projector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/watch"
)

func newItems(t *testing.T) queueItems {
	t.Helper()
	queued := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	t.Cleanup(queued.ShutDown)
	return queued
}

func TestQueueBeforeTheControllerRuns(t *testing.T) {
	b := newFixture(t)
	rule := watch.RuleKey{Kind: "ClusterProjection", NamespacedName: ruleKey}
	b.Enqueue(rule, watch.CopyChanged, now.Add(-time.Hour))
	assert.Zero(t, b.memory.Len(), "a replica that stands by remembers nothing, of rules that go least of all")

	queued := newItems(t)
	require.NoError(t, b.queue.open(t.Context(), queued))
	assert.Zero(t, queued.Len(), "every rule has its pass when the controller starts")
	b.Enqueue(rule, watch.CopyChanged, now.Add(time.Second))
	b.Enqueue(rule, watch.SourceChanged, now)
	assert.Equal(t, 1, queued.Len(), "a rule is queued once")
	request, _ := queued.Get()
	assert.Equal(t, ruleKey, request.NamespacedName)
	assert.Equal(t, memory.Triggers{watch.CopyChanged: now.Add(time.Second), watch.SourceChanged: now}, b.takeTriggers())
}

func TestWhichChangesOfARuleEnqueueIt(t *testing.T) {
	base := func() *v1.ClusterProjection {
		rule := newRule()
		rule.Finalizers = []string{v1.FinalizerClusterProjection, "theirs"}
		rule.Annotations = map[string]string{v1.AnnotationWrittenKinds: "ConfigMap"}
		return rule
	}
	tests := map[string]struct {
		change func(*v1.ClusterProjection)
		news   bool
	}{
		"nothing":               {func(*v1.ClusterProjection) {}, false},
		"a label":               {func(r *v1.ClusterProjection) { r.Labels = map[string]string{"a": "b"} }, false},
		"an annotation":         {func(r *v1.ClusterProjection) { r.Annotations["a"] = "b" }, false},
		"another kind recorded": {func(r *v1.ClusterProjection) { r.Annotations[v1.AnnotationWrittenKinds] = "ConfigMap,Secret" }, false},
		"a kind not recorded":   {func(r *v1.ClusterProjection) { r.Annotations[v1.AnnotationWrittenKinds] = "Secret" }, true},
		"their finalizer":       {func(r *v1.ClusterProjection) { r.Finalizers = r.Finalizers[:1] }, false},
		"the resourceVersion":   {func(r *v1.ClusterProjection) { r.ResourceVersion = "99" }, false},
		"the spec":              {func(r *v1.ClusterProjection) { r.Generation++ }, true},
		"the end":               {func(r *v1.ClusterProjection) { r.DeletionTimestamp = &metav1.Time{Time: now} }, true},
		"another of that name":  {func(r *v1.ClusterProjection) { r.UID = "u-2" }, true},
		"our finalizer is lost": {func(r *v1.ClusterProjection) { r.Finalizers = r.Finalizers[1:] }, true},
		"a cluster given up":    {func(r *v1.ClusterProjection) { r.Annotations[v1.AnnotationAbandon] = "eu-1" }, true},
		"the record is lost":    {func(r *v1.ClusterProjection) { r.Annotations = nil }, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b, queued, after := newFixture(t), newItems(t), base()
			test.change(after)
			b.ruleEvents().Update(t.Context(), event.TypedUpdateEvent[*v1.ClusterProjection]{ObjectOld: base(), ObjectNew: after}, queued)
			assert.Equal(t, test.news, queued.Len() == 1)
			assert.Equal(t, test.news, len(b.takeTriggers()) == 1)
		})
	}
	t.Run("we record one kind less", func(t *testing.T) {
		b := newFixture(t)
		after := base()
		after.Annotations[v1.AnnotationWrittenKinds] = "Secret"
		b.memory.Do(ruleKey, func(r *memory.Rule) { r.Kinds.Record(memory.HashOf("Secret")) })
		assert.False(t, b.needsReconcile(base(), after))
		b.memory.Do(ruleKey, func(r *memory.Rule) { r.Kinds.Reset() })
		assert.True(t, b.needsReconcile(base(), after))
	})
	t.Run("our finalizer and record are put on", func(t *testing.T) {
		assert.False(t, newFixture(t).needsReconcile(newRule(), base()))
	})
}

func TestCreationAndDeletionOfARuleEnqueueIt(t *testing.T) {
	b, queued := newFixture(t), newItems(t)
	b.ruleEvents().Create(t.Context(), event.TypedCreateEvent[*v1.ClusterProjection]{Object: newRule()}, queued)
	assert.Equal(t, 1, queued.Len())
	assert.Equal(t, memory.Triggers{watch.RuleChanged: now}, b.takeTriggers())

	request, _ := queued.Get()
	queued.Done(request)
	b.ruleEvents().Delete(t.Context(), event.TypedDeleteEvent[*v1.ClusterProjection]{Object: newRule()}, queued)
	assert.Equal(t, 1, queued.Len())
}
