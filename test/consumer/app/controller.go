package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	v1 "shop.example.com/webapp/api/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/metrics"
)

// Reconciler reconciles WebApps.
type Reconciler struct {
	Client client.Client
	// Live reads from the API server, and not from a cache.
	Live   client.Reader
	Events events.EventRecorder
	// Metrics counts what is applied, and exports the conditions.
	Metrics *metrics.Recorder
	// GracePeriod is how long an app may not be ready, be it for its migration or for its pods; ten minutes if it is zero.
	GracePeriod time.Duration
}

// SetupWithManager adds the reconciler to a manager. ServiceMonitors are not watched, since the cluster may not serve them.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.WebApp{}).
		Owns(&corev1.ConfigMap{}).Owns(&corev1.ServiceAccount{}).Owns(&corev1.Service{}).
		Owns(&appsv1.Deployment{}).Owns(&batchv1.Job{}).
		Owns(&policyv1.PodDisruptionBudget{}).Owns(&autoscalingv2.HorizontalPodAutoscaler{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.appsOf)).
		Watches(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(r.appsSharingWith), builder.OnlyMetadata).
		Complete(r)
}

// Reconcile brings about what an app wants, and writes the status once.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	w := &v1.WebApp{}
	if err := r.Client.Get(ctx, request.NamespacedName, w); err != nil {
		if apierrors.IsNotFound(err) {
			w.Namespace, w.Name = request.Namespace, request.Name
			r.Metrics.RemoveConditionsFor(w.GetKind(), w)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	rec := component.ReconcileContext{Client: r.Client, APIReader: r.Live, EventRecorder: r.Events, Metrics: r.Metrics, Owner: w}
	if !w.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.finalize(ctx, rec, w) // all but the copies is garbage-collected
	}
	comps, err := r.reconcile(ctx, rec, w)
	w.Status.ObservedGeneration = w.Generation
	if err := errors.Join(err, component.FlushStatusOf(ctx, rec, comps, v1.Ready, v1.CredentialsShared)); err != nil {
		return ctrl.Result{}, err
	}
	remaining, _ := component.EarliestGraceRemaining(w, comps...)
	return ctrl.Result{RequeueAfter: remaining}, nil
}

// reconcile works through the components, also behind one that fails, and leaves their conditions and Ready in the app.
func (r *Reconciler) reconcile(ctx context.Context, rec component.ReconcileContext, w *v1.WebApp) ([]*component.Component, error) {
	served, err := r.servesMonitors()
	if err != nil {
		return nil, failed(w, v1.Ready, err)
	}
	built, err := Build(w, Options{GracePeriod: cmp.Or(r.GracePeriod, 10*time.Minute), MonitoringServed: served})
	if err != nil {
		return nil, failed(w, v1.Ready, err)
	}
	comps := built.All()
	for _, comp := range comps {
		err = errors.Join(err, comp.Reconcile(ctx, rec))
	}
	err = errors.Join(err, sweep(ctx, rec, w, comps))
	ready := metav1.Condition(component.Aggregate(v1.Ready, w, built.Essential()...))
	meta.SetStatusCondition(&w.Status.Conditions, ready)
	shared, failure := r.sharing(ctx, w, sharedWith(w)) // which makes requests, so it comes after what does not depend on them
	if failure != nil {
		return comps, errors.Join(err, failed(w, v1.CredentialsShared, failure))
	}
	return append(comps, shared), errors.Join(err, shared.Reconcile(ctx, rec))
}

// sweep deletes the Jobs of earlier migrations, once the present one is complete. No component has them any more.
func sweep(ctx context.Context, rec component.ReconcileContext, w *v1.WebApp, all []*component.Component) error {
	migrated := meta.FindStatusCondition(w.Status.Conditions, string(v1.MigrationComplete))
	if migrated == nil || migrated.Reason != string(component.Healthy) {
		return nil
	}
	return component.Sweep(ctx, rec, []schema.GroupVersionKind{batchv1.SchemeGroupVersion.WithKind("Job")}, all...)
}

// failed leaves an error in a condition, and returns it.
func failed(w *v1.WebApp, conditionType component.ConditionType, err error) error {
	meta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{
		Type: string(conditionType), Status: metav1.ConditionFalse, Reason: string(component.Error), Message: err.Error(),
		ObservedGeneration: w.Generation,
	})
	return err
}

// servesMonitors reports whether the cluster serves ServiceMonitors. An error means that this is not known.
func (r *Reconciler) servesMonitors() (bool, error) {
	_, err := r.Client.RESTMapper().RESTMapping(serviceMonitor.GroupKind(), serviceMonitor.Version)
	if meta.IsNoMatchError(err) {
		return false, nil
	}
	return err == nil, err
}

// appsOf returns the apps that a Secret concerns: those that refer to it, and the one whose copy it is.
func (r *Reconciler) appsOf(ctx context.Context, secret client.Object) []ctrl.Request {
	var requests []ctrl.Request
	if namespace, name, found := strings.Cut(secret.GetAnnotations()[sharedByAnnotation], "/"); found {
		requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKey{Namespace: namespace, Name: name}})
	}
	var apps v1.WebAppList
	if err := r.Client.List(ctx, &apps, client.InNamespace(secret.GetNamespace())); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list the apps of a Secret")
	}
	for i := range apps.Items {
		if credentialsName(&apps.Items[i]) == secret.GetName() {
			requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&apps.Items[i])})
		}
	}
	return requests
}

// appsSharingWith returns the apps that are to share their credentials with a namespace.
func (r *Reconciler) appsSharingWith(ctx context.Context, namespace client.Object) []ctrl.Request {
	var requests []ctrl.Request
	var apps v1.WebAppList
	if err := r.Client.List(ctx, &apps); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list the apps that share credentials with a namespace")
	}
	for i := range apps.Items {
		if slices.Contains(sharedWith(&apps.Items[i]), namespace.GetName()) {
			requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&apps.Items[i])})
		}
	}
	return requests
}
