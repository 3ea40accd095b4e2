package remotecluster

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
)

const (
	controllerName = "remotecluster"
	// defaultProbes is how many clusters are asked at a time whether they can be reached.
	defaultProbes = 64
	// defaultRequests is how many requests to all clusters are under way at a time, besides one for each.
	defaultRequests = 64
)

// Secrets are read in the namespace of the operator alone.
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,resourceNames=remoteclusters.projection.sh,verbs=get
// +kubebuilder:rbac:groups=projection.sh,resources=remoteclusters,verbs=list;watch
// +kubebuilder:rbac:groups=projection.sh,resources=remoteclusters/status,verbs=update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch,namespace=system

// Options are what the controller needs to know.
type Options struct {
	// Namespace is that of the operator, in which the Secrets are.
	Namespace string
	// HubID is by what the leases in the clusters are named; empty: by the uid of the namespace kube-system.
	HubID string
	// UserAgent is by what the clusters know the operator.
	UserAgent string
	// InCluster returns how the operator's own cluster is reached. It is called again and again, since a token may be renewed.
	InCluster func() (fleet.Access, error)
	// Dial opens connections to the clusters; nil: as client-go does.
	Dial fleet.Dial
	// Wrap wraps the transports of clients of the clusters; nil: nothing is around them.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Retry is how often to look again for RemoteClusters that cannot be listed; 0: each minute.
	Retry time.Duration
	// Needed returns what rules need in a cluster; nil: they need nothing.
	Needed Needed
}

// Needed returns the permissions that rules need in the cluster of the RemoteCluster, in an order that stays. It makes no request to that.
type Needed func(ctx context.Context, remote *v1alpha1.RemoteCluster) ([]authorizationv1.ResourceAttributes, error)

func needNothing(context.Context, *v1alpha1.RemoteCluster) ([]authorizationv1.ResourceAttributes, error) {
	return nil, nil
}

// Add has the manager connect to the clusters that RemoteClusters declare when it runs controllers, and returns those clusters.
func Add(mgr manager.Manager, options Options) (*Registry, error) {
	secrets, err := metadata.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return nil, fmt.Errorf("build a client for the metadata of Secrets: %w", err)
	}
	now := clock.RealClock{}
	registry := newRegistry(shared{
		holder: holderName(), userAgent: options.UserAgent, dial: options.Dial, wrap: options.Wrap, clock: now,
		dials: semaphore.NewWeighted(defaultProbes), budget: fleet.NewBudget(defaultRequests, now),
	})
	watches := newSecretWatches(secrets, options.Namespace, registry.notify)
	return registry, mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		defer registry.close()
		defer watches.close()
		if !awaitKind(ctx, mgr.GetAPIReader(), cmp.Or(options.Retry, defaultRetry)) {
			return nil
		}
		identity, known := awaitHub(ctx, secrets, cmp.Or(options.Retry, defaultRetry))
		if !known {
			return nil
		}
		registry.shared.hub = cmp.Or(options.HubID, string(identity))
		needed := options.Needed
		if needed == nil {
			needed = needNothing
		}
		if err := control(ctx, mgr, registry, needed, &declarations{
			secrets: mgr.GetAPIReader(), watches: watches, inCluster: options.InCluster, namespace: options.Namespace, known: map[string]declaration{},
		}); err != nil && ctx.Err() == nil {
			return err
		}
		<-ctx.Done()
		return nil
	}))
}

// control runs the controller.
func control(ctx context.Context, mgr manager.Manager, registry *Registry, needed Needed, declarations *declarations) error {
	if err := mgr.GetFieldIndexer().IndexField(ctx, &v1alpha1.RemoteCluster{}, byIdentity, identityOf); err != nil {
		return fmt.Errorf("index RemoteClusters by their identity: %w", err)
	}
	if err := watchSelected(ctx, mgr, registry); err != nil {
		return err
	}
	return builder.ControllerManagedBy(mgr).Named(controllerName).
		For(&v1alpha1.RemoteCluster{}, builder.WithPredicates(specChanged())).
		Watches(&v1alpha1.RemoteCluster{}, handler.EnqueueRequestsFromMapFunc(registry.sameCluster), builder.WithPredicates(identityChanged())).
		WatchesRawSource(source.Func(registry.enqueue)).
		Complete(&reconciler{
			client: mgr.GetClient(), live: mgr.GetAPIReader(), recorder: mgr.GetEventRecorder(controllerName), clock: clock.RealClock{},
			registry: registry, declarations: declarations, needed: needed,
		})
}

// watchSelected notifies of changes of what rules select RemoteClusters by: their labels, and whether they are being deleted.
func watchSelected(ctx context.Context, mgr manager.Manager, registry *Registry) error {
	informer, err := mgr.GetCache().GetInformer(ctx, &v1alpha1.RemoteCluster{}, cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("watch the RemoteClusters: %w", err)
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{UpdateFunc: func(before, after any) {
		was, isKnown := before.(*v1alpha1.RemoteCluster)
		is, isKnownNow := after.(*v1alpha1.RemoteCluster)
		if isKnown && isKnownNow && (!maps.Equal(was.Labels, is.Labels) || was.DeletionTimestamp.IsZero() != is.DeletionTimestamp.IsZero()) {
			registry.notify(is.Name)
		}
	}})
	return err
}

// enqueue has the queue get each RemoteCluster of which something has changed.
func (r *Registry) enqueue(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	add := func(name string) { queue.Add(requestFor(name)) }
	r.OnChange(add)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onRules = add
	return nil
}

// sameCluster returns the RemoteClusters that are the same cluster as the object.
func (r *Registry) sameCluster(_ context.Context, object client.Object) []reconcile.Request {
	var requests []reconcile.Request
	for _, identity := range identityOf(object) {
		for _, name := range r.namesOf(types.UID(identity)) {
			requests = append(requests, requestFor(name))
		}
	}
	return requests
}

// specChanged passes all but changes of the status. Between two looks, an object may have been replaced by another one with the same name.
func specChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || e.ObjectOld.GetUID() != e.ObjectNew.GetUID()
	}}
}

// identityChanged passes what may make another RemoteCluster the first one of a cluster.
func identityChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := identityOf(e.ObjectOld), identityOf(e.ObjectNew)
		return len(before) != len(after) || len(before) > 0 && before[0] != after[0]
	}}
}

func requestFor(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}
}
