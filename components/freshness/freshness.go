// Package freshness keeps a controller from working on a cache that is older than the controller's leadership.
package freshness

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

const (
	// pollInterval is how often the cache is compared with what the API server has listed.
	pollInterval = 50 * time.Millisecond
	// retryInterval is how long the cache is compared before the API server is asked for another list, and how long a failed
	// list is waited with.
	retryInterval = 2 * time.Second
)

// Gate is a source of events that has none. A controller that watches it starts its workers when the cache holds what the API
// server held when the controller began. If the cache never does, the controller's timeout for syncing caches ends the manager,
// and another replica leads. A controller calls CatchUp before it uses the cache, for what has happened since.
//
// Example: the watch of a standby has stalled, which looks like a cluster in which nothing happens. The standby becomes the
// leader. It would take the copies that the former leader has just written for unwanted, and delete them.
type Gate struct {
	// Live reads from the API server, and Cache from the cache.
	Live, Cache client.Reader
	Scheme      *runtime.Scheme
	Lists       []List
	// Compared is called each time the cache has been compared, before anybody relies on that; nil: nobody asks.
	Compared func()
	// Outages are those of the API server behind the cache.
	Outages *Outages

	turn   sync.Mutex    // of those who compare
	passed atomic.Uint64 // the outages when the cache was compared last
}

// List are objects that the controller reads from the cache.
type List struct {
	// New returns an empty list.
	New func() client.ObjectList
	// Selector selects the objects.
	Selector labels.Selector
}

var _ source.TypedSyncingSource[reconcile.Request] = &Gate{}

// Start implements source.TypedSource. It adds no events.
func (g *Gate) Start(context.Context, workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	return nil
}

func (g *Gate) String() string { return "state of the API server" }

// WaitForSync returns when the cache is as new as the API server was when WaitForSync was called.
func (g *Gate) WaitForSync(ctx context.Context) error {
	g.turn.Lock()
	defer g.turn.Unlock()
	return g.pass(ctx)
}

// pass has its turn, and returns when the cache is as new as the API server.
func (g *Gate) pass(ctx context.Context) error {
	outages := g.Outages.count.Load()
	for _, list := range g.Lists {
		if err := g.wait(ctx, list); err != nil {
			return err
		}
	}
	if g.Compared != nil {
		g.Compared()
	}
	g.passed.Store(outages)
	return nil
}

// wait lists from the API server again after a while: an object that it listed may be deleted before the cache has seen it.
func (g *Gate) wait(ctx context.Context, list List) error {
	for {
		err := g.compare(ctx, list)
		if err == nil {
			return nil
		}
		log.FromContext(ctx).Info("Nothing is reconciled until the cache has caught up with the API server", "reason", err.Error())
		select {
		case <-time.After(retryInterval):
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
	}
}

// compare lists once, and compares the cache with that until it is as new.
func (g *Gate) compare(ctx context.Context, list List) error {
	before := list.New()
	if err := g.Cache.List(ctx, before, client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	listed, err := g.list(ctx, list)
	if err != nil {
		return err
	}
	if err := listed.contradiction(before); err != nil {
		return err
	}
	var stale error
	err = wait.PollUntilContextTimeout(ctx, pollInterval, retryInterval, true, func(ctx context.Context) (bool, error) {
		cached := list.New()
		if err := g.Cache.List(ctx, cached, client.UnsafeDisableDeepCopy); err != nil {
			return false, err
		}
		stale = listed.staleness(cached)
		return stale == nil, nil
	})
	if stale != nil {
		return stale
	}
	return err
}
