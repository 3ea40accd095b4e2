package projector

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

const (
	listPage = 2000
	// pollInterval is how often the cache is looked at, and catchUpPatience how long before the API server is asked again.
	pollInterval  = 50 * time.Millisecond
	retryInterval = 2 * time.Second
)

// freshnessGate keeps a controller from working until the cache holds what the API server held when this replica began to lead.
// A watch that has stalled looks like a watch of a cluster where nothing happens. Whoever went by it would take copies for
// unwanted that its predecessor has just made. If the cache does not catch up, the manager ends, and another one leads.
type freshnessGate struct {
	live, cache client.Reader
	scheme      *runtime.Scheme
	lists       []cachedList
}

// cachedList is what a controller takes from the cache.
type cachedList struct {
	empty    func() client.ObjectList
	selector labels.Selector
}

// freshnessGate waits for the rules, and for what their plans are made from.
func (p *Projector[O]) freshnessGate(mgr manager.Manager) freshnessGate {
	lists := []cachedList{{p.adapter.NewList, p.config.Selector}}
	if p.adapter.NewTargetList != nil {
		lists = append(lists, cachedList{p.adapter.NewTargetList, labels.Everything()})
	}
	return freshnessGate{live: mgr.GetAPIReader(), cache: mgr.GetCache(), scheme: mgr.GetScheme(), lists: lists}
}

var _ source.TypedSyncingSource[reconcile.Request] = freshnessGate{}

// Start adds no events.
func (c freshnessGate) Start(context.Context, workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	return nil
}

func (c freshnessGate) String() string { return "state of the API server" }

// WaitForSync returns when the cache has caught up.
func (c freshnessGate) WaitForSync(ctx context.Context) error {
	for _, list := range c.lists {
		if err := c.wait(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

// wait asks the API server again now and then: what it named may be gone before the cache has heard of it.
func (c freshnessGate) wait(ctx context.Context, list cachedList) error {
	for {
		err := c.follow(ctx, list)
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

func (c freshnessGate) follow(ctx context.Context, list cachedList) error {
	named, at, err := c.ask(ctx, list)
	if err != nil {
		return err
	}
	var missing error
	err = wait.PollUntilContextTimeout(ctx, pollInterval, retryInterval, true, func(ctx context.Context) (bool, error) {
		cached := list.empty()
		if err := c.cache.List(ctx, cached, client.UnsafeDisableDeepCopy); err != nil {
			return false, err
		}
		missing = staleness(cached, named, at)
		return missing == nil, nil
	})
	if missing != nil {
		return missing
	}
	return err
}

// versions are the resourceVersions of objects.
type versions map[types.NamespacedName]string

// ask returns what there is, and as of when, by a read that no cache of the API server answers from the past.
func (c freshnessGate) ask(ctx context.Context, list cachedList) (versions, string, error) {
	kind, err := apiutil.GVKForObject(list.empty(), c.scheme)
	if err != nil {
		return nil, "", err
	}
	named := versions{}
	for next := ""; ; {
		var page metav1.PartialObjectMetadataList
		page.SetGroupVersionKind(kind)
		err := c.live.List(ctx, &page, client.Limit(listPage), client.Continue(next),
			client.MatchingLabelsSelector{Selector: list.selector})
		if err != nil {
			return nil, "", fmt.Errorf("list %s: %w", kind.Kind, err)
		}
		for i := range page.Items {
			named[client.ObjectKeyFromObject(&page.Items[i])] = page.Items[i].ResourceVersion
		}
		if next = page.Continue; next == "" {
			return named, page.ResourceVersion, nil
		}
	}
}

// staleness says what the cache does not know: an object, its latest change, or its end. At is the version of all that is
// named. What the cache knows besides must be younger.
func staleness(cached client.ObjectList, named versions, at string) error {
	found := 0
	err := meta.EachListItem(cached, func(object runtime.Object) error {
		held, err := meta.Accessor(object)
		if err != nil {
			return err
		}
		key := types.NamespacedName{Namespace: held.GetNamespace(), Name: held.GetName()}
		wanted, known := named[key]
		if known {
			found++
		} else {
			wanted = at
		}
		order, err := resourceversion.CompareResourceVersion(held.GetResourceVersion(), wanted)
		if err != nil {
			return err
		}
		if order < 0 {
			return fmt.Errorf("the cache holds an old version of %s", key)
		}
		return nil
	})
	if err == nil && found < len(named) {
		return fmt.Errorf("the cache lacks %d objects", len(named)-found)
	}
	return err
}
