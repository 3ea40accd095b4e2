package projector

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/watch"
)

// ruleEvents enqueues a rule that is new or deleted, or that somebody else has changed. Own writes of the status, the finalizer
// and the record of kinds enqueue nothing. If somebody else undoes one, that does.
func (p *Projector[O]) ruleEvents() handler.TypedFuncs[O, reconcile.Request] {
	enqueue := func(rule O, items queueItems) {
		key := client.ObjectKeyFromObject(rule)
		p.remember(key, watch.RuleChanged, p.clock())
		items.Add(reconcile.Request{NamespacedName: key})
	}
	return handler.TypedFuncs[O, reconcile.Request]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[O], items queueItems) { enqueue(e.Object, items) },
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[O], items queueItems) {
			p.rules.forgetWritten(e.ObjectNew)
			key, overwritten := client.ObjectKeyFromObject(e.ObjectNew), p.statusOverwritten(e.ObjectOld, e.ObjectNew)
			switch {
			case p.needsReconcile(e.ObjectOld, e.ObjectNew):
				enqueue(e.ObjectNew, items)
			case overwritten:
				items.AddAfter(reconcile.Request{NamespacedName: key}, p.repairDelay(key))
			}
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[O], items queueItems) { enqueue(e.Object, items) },
	}
}

// needsReconcile reports whether the update of a rule matters to its copies.
func (p *Projector[O]) needsReconcile(before, after O) bool {
	unrecorded := p.lostKind(before, after)
	lost := controllerutil.ContainsFinalizer(before, p.adapter.Kind.Finalizer) && !controllerutil.ContainsFinalizer(after, p.adapter.Kind.Finalizer)
	return before.GetGeneration() != after.GetGeneration() ||
		before.GetDeletionTimestamp().IsZero() != after.GetDeletionTimestamp().IsZero() ||
		before.GetUID() != after.GetUID() ||
		before.GetAnnotations()[v1.AnnotationAbandon] != after.GetAnnotations()[v1.AnnotationAbandon] ||
		lost || unrecorded
}

// lostKind reports whether somebody else has taken a kind from the record.
func (p *Projector[O]) lostKind(before, after O) bool {
	was, is := before.GetAnnotations()[v1.AnnotationWrittenKinds], after.GetAnnotations()[v1.AnnotationWrittenKinds]
	if was == is || p.isOurs(after, is, func(r *memory.Rule) *memory.OwnWrites { return &r.Kinds }) {
		return false
	}
	left := recordedKinds(after)
	return slices.ContainsFunc(recordedKinds(before), func(kind schema.GroupKind) bool { return !slices.Contains(left, kind) })
}

// statusOverwritten reports whether the status was written by somebody else.
func (p *Projector[O]) statusOverwritten(before, after O) bool {
	status := p.adapter.Status(after)
	return !equality.Semantic.DeepEqual(p.adapter.Status(before), status) &&
		!p.isOurs(after, status, func(r *memory.Rule) *memory.OwnWrites { return &r.Status })
}

// isOurs reports whether this process has written the value that an event of the rule shows.
func (p *Projector[O]) isOurs(rule O, value any, writes func(*memory.Rule) *memory.OwnWrites) (ours bool) {
	shown := memory.HashOf(value)
	p.memory.Do(client.ObjectKeyFromObject(rule), func(r *memory.Rule) { ours = writes(r).IsOurs(shown) })
	return ours
}

// repairDelay returns when to reconcile a rule whose status somebody else has written.
func (p *Projector[O]) repairDelay(rule types.NamespacedName) (delay time.Duration) {
	p.memory.Do(rule, func(r *memory.Rule) { delay = r.StatusRepairs.Next(p.clock(), p.config.Requeue) })
	return delay
}
