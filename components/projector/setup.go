package projector

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/watch"
)

// firstRetry is the delay before a failed pass is tried again; it doubles up to Settings.Requeue.
const firstRetry = 100 * time.Millisecond

// SetupWithManager runs the projector as a controller of the manager, with so many rules at a time.
func (p *Projector[O]) SetupWithManager(mgr manager.Manager, concurrency int) error {
	c, err := controller.New(strings.ToLower(p.adapter.Kind.Name), mgr, controller.Options{
		Reconciler:              p,
		MaxConcurrentReconciles: concurrency,
		RateLimiter: rateLimiter{
			workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstRetry, p.config.Requeue), p.background,
		},
	})
	if err != nil {
		return err
	}
	if err := c.Watch(source.TypedKind(mgr.GetCache(), p.adapter.New(), p.ruleEvents())); err != nil {
		return err
	}
	if err := c.Watch(p.freshnessGate(mgr)); err != nil {
		return err
	}
	return c.Watch(source.Func(p.queue.open))
}

// ruleEvents asks for a pass when a rule is new, or was changed by somebody else. Our own writes of status and finalizer are
// no news, but whatever takes them back is.
func (p *Projector[O]) ruleEvents() handler.TypedFuncs[O, reconcile.Request] {
	wake := func(rule O, items queueItems) {
		key := client.ObjectKeyFromObject(rule)
		p.triggers.note(key, watch.RuleChanged, p.clock())
		items.Add(reconcile.Request{NamespacedName: key})
	}
	return handler.TypedFuncs[O, reconcile.Request]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[O], items queueItems) { wake(e.Object, items) },
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[O], items queueItems) {
			p.latest.newer(e.ObjectNew)
			key, corrected := client.ObjectKeyFromObject(e.ObjectNew), p.statusOverwritten(e.ObjectOld, e.ObjectNew)
			switch {
			case p.needsReconcile(e.ObjectOld, e.ObjectNew):
				wake(e.ObjectNew, items)
			case corrected:
				items.AddAfter(reconcile.Request{NamespacedName: key}, p.statusRepairs.delay(key))
			}
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[O], items queueItems) { wake(e.Object, items) },
	}
}

func (p *Projector[O]) needsReconcile(before, after O) bool {
	unrecorded := p.lostKind(before, after)
	lost := controllerutil.ContainsFinalizer(before, p.adapter.Kind.Finalizer) && !controllerutil.ContainsFinalizer(after, p.adapter.Kind.Finalizer)
	return before.GetGeneration() != after.GetGeneration() ||
		before.GetDeletionTimestamp().IsZero() != after.GetDeletionTimestamp().IsZero() ||
		before.GetUID() != after.GetUID() ||
		lost || unrecorded
}

// lostKind tells whether somebody else has taken a kind from the record.
func (p *Projector[O]) lostKind(before, after O) bool {
	was, is := before.GetAnnotations()[v1.AnnotationWrittenKinds], after.GetAnnotations()[v1.AnnotationWrittenKinds]
	if was == is || p.kindWrites.isOurs(client.ObjectKeyFromObject(after), is) {
		return false
	}
	left := recordedKinds(after)
	return slices.ContainsFunc(recordedKinds(before), func(kind schema.GroupKind) bool { return !slices.Contains(left, kind) })
}

// statusOverwritten tells whether the status was written by somebody else.
func (p *Projector[O]) statusOverwritten(before, after O) bool {
	status := p.adapter.Status(after)
	return !equality.Semantic.DeepEqual(p.adapter.Status(before), status) && !p.statusWrites.isOurs(client.ObjectKeyFromObject(after), status)
}

type queueItems = workqueue.TypedRateLimitingInterface[reconcile.Request]

// queue is the controller's queue, once it runs.
type queue struct {
	mu      sync.RWMutex
	items   queueItems
	running context.Context //nolint:containedctx // it ends with the controller, which a reconcile may outlive
}

func (q *queue) open(ctx context.Context, items queueItems) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items, q.running = items, ctx
	return nil
}

// base returns a context with the logger of this one that ends with the controller.
func (q *queue) base(ctx context.Context) context.Context {
	q.mu.RLock()
	defer q.mu.RUnlock()
	if q.running == nil {
		return ctx
	}
	return log.IntoContext(q.running, log.FromContext(ctx))
}

// whenOpen calls the function with the queue if there is one. Before the controller runs there is nothing to lose: every
// rule has a pass when it starts. A replica that stands by would only gather what it never comes to use.
func (q *queue) whenOpen(do func(queueItems)) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	if q.items != nil {
		do(q.items)
	}
}
