package publication

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
)

// +kubebuilder:rbac:groups=projection.sh,resources=publishedresources,verbs=list;watch;patch
// +kubebuilder:rbac:groups=projection.sh,resources=publishedresources/status,verbs=update

// notKnownRetry is when to look again at a PublishedResource that cannot be served now, at the latest.
const notKnownRetry = 10 * time.Second

const controllerName = "publishedresource"

// Serve serves PublishedResources until the context ends, from when they can be listed.
func Serve(ctx context.Context, mgr manager.Manager, options Options) error {
	if !awaitKind(ctx, options) {
		return nil
	}
	queue := make(chan workqueue.TypedRateLimitingInterface[reconcile.Request], 1)
	r := &reconciler{options: options, started: make(chan struct{})}
	err := builder.ControllerManagedBy(mgr).Named(controllerName).
		For(&v1alpha1.PublishedResource{}, builder.WithPredicates(specChanged())).
		WatchesRawSource(source.Func(func(_ context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
			queue <- q
			return nil
		})).
		Complete(reconcile.Func(r.Reconcile))
	if err != nil {
		return fmt.Errorf("set up the controller of PublishedResources: %w", err)
	}
	select {
	case <-ctx.Done():
		return nil
	case q := <-queue:
		options.Metrics.ScrapePublications(measure(ctx, options.Client))
		r.serve(newEngine(ctx, options, func(name string, after time.Duration) {
			q.AddAfter(reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}, after)
		}))
	}
	<-ctx.Done()
	return nil
}

// awaitKind waits until PublishedResources can be listed. It returns false if the context ends first.
func awaitKind(ctx context.Context, options Options) bool {
	said := false
	return wait.PollUntilContextCancel(ctx, options.Retry, true, func(ctx context.Context) (bool, error) {
		err := options.Live.List(ctx, &v1alpha1.PublishedResourceList{}, client.Limit(1))
		if err != nil && ctx.Err() == nil && !said {
			log.FromContext(ctx).Info("No kind is offered to other clusters: PublishedResources cannot be listed",
				"advice", "apply config/crd/bases/projection.sh_publishedresources.yaml, and permit the operator to list and watch them", "reason", err.Error())
			said = true
		}
		return err == nil, nil
	}) == nil
}

// specChanged passes all but changes of the status.
func specChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld, e.ObjectNew
		return before.GetGeneration() != after.GetGeneration() || before.GetUID() != after.GetUID() ||
			before.GetAnnotations()[v1.AnnotationAbandon] != after.GetAnnotations()[v1.AnnotationAbandon] ||
			(before.GetDeletionTimestamp() == nil) != (after.GetDeletionTimestamp() == nil)
	}}
}

// reconciler reconciles PublishedResources.
type reconciler struct {
	options Options
	started chan struct{}
	engine  *Engine
}

func (r *reconciler) serve(engine *Engine) {
	r.engine = engine
	close(r.started)
}

// Reconcile brings everything up to date that a PublishedResource says, and reports its state.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (ctrl.Result, error) {
	select {
	case <-r.started:
	case <-ctx.Done():
		return ctrl.Result{}, ctx.Err()
	}
	resource := &v1alpha1.PublishedResource{}
	if err := r.options.Client.Get(ctx, request.NamespacedName, resource); err != nil {
		if client.IgnoreNotFound(err) == nil {
			r.engine.forget(request.Name)
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, err
	}
	resource = resource.DeepCopy()
	if resource.DeletionTimestamp == nil && !controllerutil.ContainsFinalizer(resource, v1.FinalizerPublishedResource) {
		before := resource.DeepCopy()
		controllerutil.AddFinalizer(resource, v1.FinalizerPublishedResource)
		if err := r.options.Client.Patch(ctx, resource, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
	}
	return r.reconcile(ctx, resource)
}

func (r *reconciler) reconcile(ctx context.Context, resource *v1alpha1.PublishedResource) (ctrl.Result, error) {
	p := r.engine.publication(resource.Name)
	accepted := p.accept(ctx, resource)
	if resource.DeletionTimestamp != nil && p.isOver() {
		if err := p.removeLastNamespaces(ctx); err != nil {
			return ctrl.Result{}, err
		}
		before := resource.DeepCopy()
		if controllerutil.RemoveFinalizer(resource, v1.FinalizerPublishedResource) {
			err := r.options.Client.Patch(ctx, resource, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
		return ctrl.Result{}, nil
	}
	switch err := r.writeStatus(ctx, resource, p.status(resource, accepted)); {
	case apierrors.IsConflict(err): // the cache is a moment behind
		return ctrl.Result{RequeueAfter: statusDelay}, nil
	case err != nil:
		return ctrl.Result{}, err
	}
	// No event says that the watch of the copies goes on, for which a deletion waits.
	if accepted != nil && !accepted.stalled || resource.DeletionTimestamp != nil {
		return ctrl.Result{RequeueAfter: min(r.options.Retry, notKnownRetry)}, nil
	}
	return ctrl.Result{}, nil
}

// accept makes what the PublishedResource says hold from now on, and returns why it cannot.
func (p *publication) accept(ctx context.Context, resource *v1alpha1.PublishedResource) *problem {
	o, err := newOffer(resource, p.engine.options.HubID)
	if err != nil && !o.deleting { // of one that is being deleted, no expression is needed
		return &problem{v1alpha1.ReasonPublicationInvalid, err.Error() + "; correct it; copies stay as they are", true}
	}
	p.use(o)
	p.setAbandoned(resource.Annotations[v1.AnnotationAbandon])
	clusters, err := p.engine.consumersOf(ctx, o)
	if err != nil {
		return &problem{v1alpha1.ReasonUnreachable, "the RemoteClusters are not known", false}
	}
	wrong := p.offerTo(ctx, o)
	if service, isWithdrawn := p.withdrawnFrom(o, wrong); isWithdrawn {
		p.withdraw(service)
		wrong = nil
	}
	p.setConsumers(clusters, o.deleting)
	if wrong == nil {
		if err := p.addFormer(ctx, o); err != nil {
			return &problem{v1alpha1.ReasonUnreachable, "the copies cannot be listed, and those of former consumers stay until they can: " + messageOf(err), false}
		}
	}
	return wrong
}

// offerTo reads how the service serves the kind, unless that is known.
func (p *publication) offerTo(ctx context.Context, o *offer) *problem {
	cluster := o.spec.Service.Cluster
	permits, err := p.engine.sides.declared(ctx, cluster)
	if err != nil && !apierrors.IsNotFound(err) {
		return &problem{v1alpha1.ReasonUnreachable, "the RemoteCluster " + cluster + " is not known", false}
	}
	if err != nil {
		return &problem{v1alpha1.ReasonServiceNotFound, "there is no RemoteCluster " + cluster + "; create it, or correct service.cluster", true}
	}
	kind := o.spec.Service.Resource
	if why := permits.forbids(groupKind(kind.Group, kind.Kind), v1alpha1.Push); why != "" {
		return &problem{v1alpha1.ReasonNotPermitted, "the RemoteCluster " + cluster + " " + why, true}
	}
	service, err := p.engine.sides.get(cluster)
	if err != nil {
		return &problem{v1alpha1.ReasonUnreachable, "the cluster " + cluster + " is not connected", false}
	}
	if v, ready := p.view(); ready && v.service == service {
		return nil
	}
	offered, err := apiOf(ctx, service, o)
	if err != nil {
		return err.(*problem) //nolint:errorlint,forcetypeassert // it returns no other
	}
	p.serve(service, offered)
	return nil
}

// consumersOf returns the names of the RemoteClusters that the kind is offered to, with their identities. If the publication is being deleted, those are left
// out to which nothing was ever written.
func (e *Engine) consumersOf(ctx context.Context, o *offer) (map[string]string, error) {
	consumers := map[string]string{}
	list := &v1alpha1.RemoteClusterList{}
	if err := e.options.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	targets := o.spec.Consumers.Clusters
	selector, err := selectorOf(targets.Selector.LabelSelector())
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		cluster := &list.Items[i]
		selected := selector != nil && selector.Matches(labels.Set(cluster.Labels)) && !slices.Contains(targets.Except, cluster.Name)
		if (selected || slices.Contains(targets.Names, cluster.Name)) && (cluster.Status.Identity != "" || !o.deleting) {
			consumers[cluster.Name] = cluster.Status.Identity
		}
	}
	for _, name := range targets.Names {
		if _, found := consumers[name]; !found && !o.deleting {
			consumers[name] = ""
		}
	}
	return consumers, nil
}

// setConsumers makes these clusters the consumers, and has the others leave. If the publication is being deleted, all leave: also those that this process has
// not seen before, in which an earlier one may have left something.
func (p *publication) setConsumers(clusters map[string]string, deleting bool) {
	p.mu.Lock()
	var opened []*consumer
	for name, identity := range clusters {
		if p.consumers[name] == nil && !p.dropped[name] {
			p.consumers[name] = newConsumer(p, name, identity)
			p.consumers[name].leaving = deleting
			opened = append(opened, p.consumers[name])
		}
	}
	all := maps.Clone(p.consumers)
	p.mu.Unlock()
	for _, c := range opened {
		c.addAll()
	}
	for name, c := range all {
		_, wanted := clusters[name]
		c.leave(!wanted || deleting)
	}
}

// isOver reports whether nothing is left of a publication that is being deleted.
func (p *publication) isOver() bool {
	v, ready := p.view()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !ready || len(p.consumers) > 0 { // what an earlier process has copied is not known, or something is left
		return false
	}
	return v.api.isWithdrawn || len(v.copies.clusters()) == 0 && v.stream.Failure() == nil
}
