package projector

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"projection.sh/operator/components/freshness"
)

// firstRetry is the delay before a failed reconcile is tried again. It doubles with each failure, up to Config.Requeue.
const firstRetry = 100 * time.Millisecond

// SetupWithManager runs the projector as a controller of the manager, with that many workers.
func (p *Projector[O]) SetupWithManager(mgr manager.Manager, concurrency int) error {
	c, err := controller.New(strings.ToLower(p.adapter.Kind.Name), mgr, controller.Options{
		Reconciler:              p,
		MaxConcurrentReconciles: concurrency,
		RateLimiter:             p.rateLimiter(),
	})
	if err != nil {
		return err
	}
	if err := mgr.GetFieldIndexer().IndexField(context.Background(), p.adapter.New(), byCopy, p.indexByCopy); err != nil {
		return fmt.Errorf("index the rules by their copies: %w", err)
	}
	if err := mgr.GetFieldIndexer().IndexField(context.Background(), p.adapter.New(), byCluster, p.indexByCluster); err != nil {
		return fmt.Errorf("index the rules by the clusters of their sources: %w", err)
	}
	if err := c.Watch(source.TypedKind(mgr.GetCache(), p.adapter.New(), p.ruleEvents())); err != nil {
		return err
	}
	p.gate = p.newGate(mgr)
	if err := c.Watch(p.gate); err != nil {
		return err
	}
	return c.Watch(source.Func(p.queue.open))
}

func (p *Projector[O]) rateLimiter() workqueue.TypedRateLimiter[reconcile.Request] {
	return rateLimiter{workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstRetry, p.config.Requeue), p.background}
}

// newGate returns what keeps workers waiting until the cache holds the rules, and what their targets are read from, as they were
// when this replica began to lead, and after each outage of the API server.
func (p *Projector[O]) newGate(mgr manager.Manager) *freshness.Gate {
	lists := []freshness.List{{New: p.adapter.NewList, Selector: p.config.Selector}}
	if p.adapter.NewTargetList != nil {
		lists = append(lists, freshness.List{New: p.adapter.NewTargetList, Selector: labels.Everything()})
	}
	return &freshness.Gate{
		Live: mgr.GetAPIReader(), Cache: mgr.GetCache(), Scheme: mgr.GetScheme(), Lists: lists,
		Compared: p.memory.ForgetWritten, Outages: p.hub.Outages,
	}
}

// catchUp waits, after an outage of the API server, until the cache is as new as the API server. What was written before is then in the
// cache, or lost.
func (p *Projector[O]) catchUp(ctx context.Context) error {
	if p.gate == nil { // it is set before the controller starts
		return nil
	}
	if err := p.gate.CatchUp(ctx); err != nil {
		return fmt.Errorf("wait until the cache is as new as the API server: %w", err)
	}
	return nil
}
