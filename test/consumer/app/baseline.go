package app

import (
	"fmt"
	"hash/fnv"
	"maps"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	v1 "shop.example.com/webapp/api/v1"
)

// The baselines are the objects of the newest version, for an app that asks for nothing special. What differs from them is in
// mutations.go.

const (
	webContainer     = "web"
	migrateContainer = "migrate"
	tracingContainer = "tracing"

	configVolume = "config"
	configPath   = "/etc/webapp"

	httpPort = "http"
	readyz   = "/readyz"
)

// serviceMonitor is a kind that not every cluster serves.
var serviceMonitor = schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: "ServiceMonitor"}

func labelsOf(w *v1.WebApp) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "webapp", "app.kubernetes.io/instance": w.Name}
}

func metaOf(w *v1.WebApp, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: w.Namespace, Name: name, Labels: labelsOf(w)}
}

func configName(w *v1.WebApp) string { return w.Name + "-config" }

// migrationName has all that the pod template of the Job depends on, since the template of a Job cannot be changed.
func migrationName(w *v1.WebApp) string {
	sum := fnv.New32a()
	fmt.Fprintf(sum, "%s\n%s", w.Spec.Image, credentialsName(w))
	return fmt.Sprintf("%s-migrate-%s-%08x", w.Name, strings.ReplaceAll(w.Spec.Version, ".", "-"), sum.Sum32())
}

// credentialsName is empty for an app without credentials.
func credentialsName(w *v1.WebApp) string {
	if w.Spec.CredentialsRef == nil {
		return ""
	}
	return w.Spec.CredentialsRef.Name
}

// replicasOf is how many pods there are at least.
func replicasOf(w *v1.WebApp) int32 {
	switch {
	case w.Spec.Autoscaling != nil:
		return w.Spec.Autoscaling.MinReplicas
	case w.Spec.Replicas != nil:
		return *w.Spec.Replicas
	default:
		return 1
	}
}

func configBaseline(w *v1.WebApp) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metaOf(w, configName(w)), Data: maps.Clone(w.Spec.Config)}
}

func migrationBaseline(w *v1.WebApp) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metaOf(w, migrationName(w)),
		Spec: batchv1.JobSpec{
			Template: corev1.PodTemplateSpec{
				Spec: corev1.PodSpec{
					RestartPolicy: corev1.RestartPolicyNever,
					Containers:    []corev1.Container{{Name: migrateContainer, Command: []string{"webapp", "migrate"}}},
				},
			},
		},
	}
}

func deploymentBaseline(w *v1.WebApp) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metaOf(w, w.Name),
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labelsOf(w)},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labelsOf(w)},
				Spec: corev1.PodSpec{
					ServiceAccountName: w.Name,
					Containers: []corev1.Container{{
						Name:           webContainer,
						Ports:          []corev1.ContainerPort{{Name: httpPort, ContainerPort: 8080}},
						ReadinessProbe: probe(readyz, httpPort),
					}},
				},
			},
		},
	}
}

func probe(path, port string) *corev1.Probe {
	return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString(port)}}}
}

func serviceBaseline(w *v1.WebApp) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metaOf(w, w.Name),
		Spec: corev1.ServiceSpec{
			Selector: labelsOf(w),
			Ports:    []corev1.ServicePort{{Name: httpPort, Port: 80, TargetPort: intstr.FromString(httpPort)}},
		},
	}
}

func budgetBaseline(w *v1.WebApp) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metaOf(w, w.Name),
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: new(intstr.FromInt32(1)),
			Selector:       &metav1.LabelSelector{MatchLabels: labelsOf(w)},
		},
	}
}

// autoscalerBaseline names the object even if there is to be none, so that it can be deleted.
func autoscalerBaseline(w *v1.WebApp) *autoscalingv2.HorizontalPodAutoscaler {
	baseline := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metaOf(w, w.Name)}
	if bounds := w.Spec.Autoscaling; bounds != nil {
		baseline.Spec = autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: w.Name},
			MinReplicas:    new(bounds.MinReplicas),
			MaxReplicas:    bounds.MaxReplicas,
			Metrics: []autoscalingv2.MetricSpec{{
				Type: autoscalingv2.ResourceMetricSourceType,
				Resource: &autoscalingv2.ResourceMetricSource{
					Name: corev1.ResourceCPU,
					Target: autoscalingv2.MetricTarget{
						Type: autoscalingv2.UtilizationMetricType, AverageUtilization: new(bounds.CPUPercent),
					},
				},
			}},
		}
	}
	return baseline
}

func monitorBaseline(w *v1.WebApp) *uns.Unstructured {
	labels := map[string]any{}
	for key, value := range labelsOf(w) {
		labels[key] = value
	}
	monitor := &uns.Unstructured{Object: map[string]any{"spec": map[string]any{
		"selector":  map[string]any{"matchLabels": labels},
		"endpoints": []any{map[string]any{"port": httpPort}},
	}}}
	monitor.SetGroupVersionKind(serviceMonitor)
	monitor.SetNamespace(w.Namespace)
	monitor.SetName(w.Name)
	monitor.SetLabels(labelsOf(w))
	return monitor
}
