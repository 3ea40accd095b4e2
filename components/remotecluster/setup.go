package remotecluster

import (
	"context"
	"fmt"

	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/builder"
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

// Options are what the controller needs to know.
type Options struct {
	// Namespace is that of the operator, in which the Secrets are.
	Namespace string
	// UserAgent is by what the clusters know the operator.
	UserAgent string
	// InCluster returns how the operator's own cluster is reached. It is called again and again, since a token may be renewed.
	InCluster func() (fleet.Access, error)
}

// Add adds the controller to the manager, and returns the clusters that it connects to. It connects when the manager runs controllers.
func Add(mgr manager.Manager, options Options) (*Registry, error) {
	ctx := context.Background()
	secrets, err := metadata.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return nil, fmt.Errorf("build a client for the metadata of Secrets: %w", err)
	}
	if err := mgr.GetFieldIndexer().IndexField(ctx, &v1alpha1.RemoteCluster{}, byIdentity, identityOf); err != nil {
		return nil, fmt.Errorf("index RemoteClusters by their identity: %w", err)
	}
	now := clock.RealClock{}
	registry := newRegistry(shared{
		userAgent: options.UserAgent, clock: now, dials: semaphore.NewWeighted(defaultProbes), budget: fleet.NewBudget(defaultRequests, now),
	})
	watches := newSecretWatches(secrets, options.Namespace, registry.notify)
	if err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		<-ctx.Done()
		watches.close()
		registry.close()
		return nil
	})); err != nil {
		return nil, err
	}
	err = builder.ControllerManagedBy(mgr).Named(controllerName).
		For(&v1alpha1.RemoteCluster{}, builder.WithPredicates(specChanged())).
		Watches(&v1alpha1.RemoteCluster{}, handler.EnqueueRequestsFromMapFunc(registry.sameCluster), builder.WithPredicates(identityChanged())).
		WatchesRawSource(source.Func(registry.enqueue)).
		Complete(&reconciler{
			client: mgr.GetClient(), registry: registry, recorder: mgr.GetEventRecorder(controllerName), clock: now,
			declarations: &declarations{
				secrets: mgr.GetAPIReader(), watches: watches, inCluster: options.InCluster, namespace: options.Namespace, known: map[string]declaration{},
			},
		})
	return registry, err
}

// enqueue has the queue get each RemoteCluster of which something has changed.
func (r *Registry) enqueue(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	r.OnChange(func(name string) { queue.Add(requestFor(name)) })
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
