// Package kit is the operator of the quick start, written with the kit.
package kit

import (
	"context"
	"errors"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	v1 "shop.example.com/webapp/api/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/service"
)

// Reconciler reconciles Sites.
type Reconciler struct {
	client.Client
	Events      events.EventRecorder
	GracePeriod time.Duration
}

// SetupWithManager adds the reconciler to a manager.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Site{}).
		Owns(&corev1.ConfigMap{}).Owns(&appsv1.Deployment{}).Owns(&corev1.Service{}).Complete(r)
}

// Reconcile brings about what a Site wants, and reports how far that is.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	site := &v1.Site{}
	if err := r.Get(ctx, request.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	web, err := build(site, r.GracePeriod)
	if err != nil {
		return ctrl.Result{}, err
	}
	rec := component.ReconcileContext{Client: r.Client, EventRecorder: r.Events, Owner: site}
	err = web.Reconcile(ctx, rec)
	if err := errors.Join(err, component.FlushStatus(ctx, rec, []*component.Component{web})); err != nil {
		return ctrl.Result{}, err
	}
	remaining, _ := web.GraceRemaining(site)
	return ctrl.Result{RequeueAfter: remaining}, nil
}

// build returns the objects of a Site, which report as one condition.
func build(site *v1.Site, grace time.Duration) (*component.Component, error) {
	named := metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name}
	labels := map[string]string{"site": site.Name}

	pages, err := configmap.NewBuilder(&corev1.ConfigMap{ObjectMeta: named, Data: site.Spec.Pages}).Build()
	if err != nil {
		return nil, err
	}
	checksum, err := pages.DesiredHash()
	if err != nil {
		return nil, err
	}
	pods, err := deployment.NewBuilder(&appsv1.Deployment{
		ObjectMeta: named,
		Spec: appsv1.DeploymentSpec{
			Replicas: &site.Spec.Replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: map[string]string{"shop.example.com/pages": checksum}},
				Spec: corev1.PodSpec{
					Containers: []corev1.Container{{
						Name: "web", Image: site.Spec.Image,
						VolumeMounts: []corev1.VolumeMount{{Name: "pages", MountPath: "/usr/share/nginx/html"}},
					}},
					Volumes: []corev1.Volume{{Name: "pages", VolumeSource: corev1.VolumeSource{
						ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: site.Name}},
					}}},
				},
			},
		},
	}).Build()
	if err != nil {
		return nil, err
	}
	address, err := service.NewBuilder(&corev1.Service{
		ObjectMeta: named,
		Spec:       corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 80}}},
	}).Build()
	if err != nil {
		return nil, err
	}
	return component.NewComponentBuilder().WithName("web").WithConditionType("Ready").
		WithGracePeriod(grace).Suspend(site.Spec.Suspended).
		WithResource(pages).WithResource(pods).WithResource(address).
		Build()
}
