package projector

import (
	"context"
	"sync"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

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

// whenOpen calls the function with the queue if the controller runs. Before that, nothing is lost: every rule is reconciled when the
// controller starts. A replica on standby would only gather what it never uses.
func (q *queue) whenOpen(do func(queueItems)) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	if q.items != nil {
		do(q.items)
	}
}
