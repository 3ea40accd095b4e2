// Package plain is the operator of the quick start, written with controller-runtime alone. Its objects and conditions
// are those of the one in package kit.
package plain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	v1 "shop.example.com/webapp/api/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
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
	ready, err := r.apply(ctx, site)
	if err != nil {
		ready = condition(metav1.ConditionFalse, reasonError, err.Error())
	}
	if err := errors.Join(err, r.writeStatus(ctx, site, ready)); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: r.graceRemaining(site)}, nil
}

// apply writes the objects of a Site, and returns how far they are.
func (r *Reconciler) apply(ctx context.Context, site *v1.Site) (metav1.Condition, error) {
	pages := &corev1.ConfigMap{ObjectMeta: nameOf(site)}
	pods := &appsv1.Deployment{ObjectMeta: nameOf(site)}
	address := &corev1.Service{ObjectMeta: nameOf(site)}
	if !site.Spec.Suspended {
		if _, err := r.ensure(ctx, site, pages, func() error {
			pages.Data = site.Spec.Pages
			return nil
		}); err != nil {
			return metav1.Condition{}, err
		}
	}
	result, err := r.ensure(ctx, site, pods, func() error { return mutatePods(pods, site) })
	if err != nil {
		return metav1.Condition{}, err
	}
	if site.Spec.Suspended {
		return suspension(pods), nil
	}
	if _, err := r.ensure(ctx, site, address, func() error {
		address.Spec.Selector = labelsOf(site)
		address.Spec.Ports = mergePort(address.Spec.Ports)
		return nil
	}); err != nil {
		return metav1.Condition{}, err
	}
	return r.progress(site, pods, result), nil
}

// ensure creates or updates an object, and sends an event if it has.
func (r *Reconciler) ensure(
	ctx context.Context, site *v1.Site, object client.Object, mutate func() error,
) (controllerutil.OperationResult, error) {
	result, err := controllerutil.CreateOrUpdate(ctx, r.Client, object, func() error {
		if err := mutate(); err != nil {
			return err
		}
		return controllerutil.SetControllerReference(site, object, r.Scheme())
	})
	if err != nil {
		return result, fmt.Errorf("write %T %s: %w", object, object.GetName(), err)
	}
	if result == controllerutil.OperationResultCreated {
		r.Events.Eventf(site, object, corev1.EventTypeNormal, "Created", "Create", "Created %T %s", object, object.GetName())
	}
	if result == controllerutil.OperationResultUpdated {
		r.Events.Eventf(site, object, corev1.EventTypeNormal, "Updated", "Update", "Updated %T %s", object, object.GetName())
	}
	return result, nil
}

// mutatePods sets what the operator cares for, and leaves defaults and the fields of others as they are.
func mutatePods(pods *appsv1.Deployment, site *v1.Site) error {
	checksum, err := checksumOf(site)
	if err != nil {
		return err
	}
	pods.Spec.Replicas = new(site.Spec.Replicas)
	if site.Spec.Suspended {
		pods.Spec.Replicas = new(int32(0))
	}
	if pods.CreationTimestamp.IsZero() {
		pods.Spec.Selector = &metav1.LabelSelector{MatchLabels: labelsOf(site)} // it cannot be changed later
	}
	template := &pods.Spec.Template
	if template.Labels == nil {
		template.Labels = map[string]string{}
	}
	maps.Copy(template.Labels, labelsOf(site))
	metav1.SetMetaDataAnnotation(&template.ObjectMeta, "shop.example.com/pages", checksum)
	web := containerNamed(&template.Spec, "web")
	web.Image = site.Spec.Image
	web.VolumeMounts = []corev1.VolumeMount{{Name: "pages", MountPath: "/usr/share/nginx/html"}}
	volume := volumeNamed(&template.Spec, "pages")
	if volume.ConfigMap == nil {
		volume.VolumeSource = corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{}}
	}
	volume.ConfigMap.Name = site.Name
	return nil
}

func containerNamed(spec *corev1.PodSpec, name string) *corev1.Container {
	for i := range spec.Containers {
		if spec.Containers[i].Name == name {
			return &spec.Containers[i]
		}
	}
	spec.Containers = append(spec.Containers, corev1.Container{Name: name})
	return &spec.Containers[len(spec.Containers)-1]
}

func volumeNamed(spec *corev1.PodSpec, name string) *corev1.Volume {
	for i := range spec.Volumes {
		if spec.Volumes[i].Name == name {
			return &spec.Volumes[i]
		}
	}
	spec.Volumes = append(spec.Volumes, corev1.Volume{Name: name})
	return &spec.Volumes[len(spec.Volumes)-1]
}

// mergePort keeps what the API server has allocated for the port.
func mergePort(ports []corev1.ServicePort) []corev1.ServicePort {
	for _, port := range ports {
		if port.Port == 80 {
			return []corev1.ServicePort{port}
		}
	}
	return []corev1.ServicePort{{Port: 80}}
}

func checksumOf(site *v1.Site) (string, error) {
	content, err := json.Marshal(site.Spec.Pages)
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), err
}

func nameOf(site *v1.Site) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name}
}

func labelsOf(site *v1.Site) map[string]string { return map[string]string{"site": site.Name} }
