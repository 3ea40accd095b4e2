package component_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"projection.sh/operator/primitives/clusterrole"
	"projection.sh/operator/primitives/clusterrolebinding"
	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/cronjob"
	"projection.sh/operator/primitives/daemonset"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/hpa"
	"projection.sh/operator/primitives/ingress"
	"projection.sh/operator/primitives/job"
	"projection.sh/operator/primitives/networkpolicy"
	"projection.sh/operator/primitives/pdb"
	"projection.sh/operator/primitives/pod"
	"projection.sh/operator/primitives/pv"
	"projection.sh/operator/primitives/pvc"
	"projection.sh/operator/primitives/replicaset"
	"projection.sh/operator/primitives/role"
	"projection.sh/operator/primitives/rolebinding"
	"projection.sh/operator/primitives/secret"
	"projection.sh/operator/primitives/service"
	"projection.sh/operator/primitives/serviceaccount"
	"projection.sh/operator/primitives/statefulset"
)

// build is the resource of a builder.
func build[R component.Resource](w *world, builder interface{ Build() (R, error) }) component.Resource {
	w.Helper()
	built, err := builder.Build()
	require.NoError(w, err)
	return built
}

var everyLabels = map[string]string{"app": "web"}

func everySelector() *metav1.LabelSelector { return &metav1.LabelSelector{MatchLabels: everyLabels} }

// template has an amount that the API server writes in another way.
func template(restart corev1.RestartPolicy) corev1.PodTemplateSpec {
	amounts := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1000m"), corev1.ResourceMemory: resource.MustParse("1024Mi")}
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: everyLabels},
		Spec: corev1.PodSpec{RestartPolicy: restart, Containers: []corev1.Container{{
			Name: "web", Image: "registry/web", Resources: corev1.ResourceRequirements{Limits: amounts},
			Ports: []corev1.ContainerPort{{ContainerPort: 80}},
		}}},
	}
}

// withPods are the kinds that have a pod template, and Pods.
func (w *world) withPods() []component.Resource {
	at, always, once := w.meta("web"), template(corev1.RestartPolicyAlways), template(corev1.RestartPolicyNever)
	return []component.Resource{
		build(w, deployment.NewBuilder(&appsv1.Deployment{ObjectMeta: at, Spec: appsv1.DeploymentSpec{Selector: everySelector(), Template: always}})),
		build(w, replicaset.NewBuilder(&appsv1.ReplicaSet{ObjectMeta: at, Spec: appsv1.ReplicaSetSpec{Selector: everySelector(), Template: always}})),
		build(w, daemonset.NewBuilder(&appsv1.DaemonSet{ObjectMeta: at, Spec: appsv1.DaemonSetSpec{Selector: everySelector(), Template: always}})),
		build(w, statefulset.NewBuilder(&appsv1.StatefulSet{ObjectMeta: at, Spec: appsv1.StatefulSetSpec{
			Selector: everySelector(), Template: always, ServiceName: "web",
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: claim()}},
		}})),
		build(w, job.NewBuilder(&batchv1.Job{ObjectMeta: at, Spec: batchv1.JobSpec{Template: once}})),
		build(w, cronjob.NewBuilder(&batchv1.CronJob{ObjectMeta: at, Spec: batchv1.CronJobSpec{
			Schedule: "@daily", JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: once}},
		}})),
		build(w, pod.NewBuilder(&corev1.Pod{ObjectMeta: at, Spec: always.Spec})),
	}
}

func claim() corev1.PersistentVolumeClaimSpec {
	return corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1024Mi")}},
	}
}

// integrations are the kinds that other controllers make usable.
func (w *world) integrations() []component.Resource {
	at, port := w.meta("web"), networkingv1.ServiceBackendPort{Number: 80}
	return []component.Resource{
		build(w, service.NewBuilder(&corev1.Service{ObjectMeta: at, Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeLoadBalancer, Selector: everyLabels, Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromString("http")}},
		}})),
		build(w, ingress.NewBuilder(&networkingv1.Ingress{ObjectMeta: at, Spec: networkingv1.IngressSpec{
			DefaultBackend: &networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "web", Port: port}},
		}})),
		build(w, hpa.NewBuilder(&autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: at, Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}, MaxReplicas: 3,
		}})),
		build(w, pvc.NewBuilder(&corev1.PersistentVolumeClaim{ObjectMeta: at, Spec: claim()})),
		build(w, pv.NewBuilder(&corev1.PersistentVolume{ObjectMeta: w.global(), Spec: corev1.PersistentVolumeSpec{
			AccessModes: claim().AccessModes, Capacity: claim().Resources.Requests,
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/data"}},
		}})),
	}
}

// global is the name of a cluster-scoped object of this test.
func (w *world) global() metav1.ObjectMeta { return metav1.ObjectMeta{Name: w.namespace} }

// statics are the kinds that are ready once they exist.
func (w *world) statics() []component.Resource {
	at, rules := w.meta("web"), []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "web", Namespace: w.namespace}}
	ref := func(kind, name string) rbacv1.RoleRef {
		return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}
	}
	return []component.Resource{
		build(w, configmap.NewBuilder(&corev1.ConfigMap{ObjectMeta: at, Data: map[string]string{"a": ""}, BinaryData: map[string][]byte{"b": {0}}})),
		build(w, secret.NewBuilder(&corev1.Secret{ObjectMeta: at, StringData: map[string]string{"a": "b"}})),
		build(w, serviceaccount.NewBuilder(&corev1.ServiceAccount{ObjectMeta: at})),
		build(w, networkpolicy.NewBuilder(&networkingv1.NetworkPolicy{ObjectMeta: at, Spec: networkingv1.NetworkPolicySpec{
			Ingress: []networkingv1.NetworkPolicyIngressRule{{Ports: []networkingv1.NetworkPolicyPort{{Port: new(intstr.FromInt32(80))}}}},
		}})),
		build(w, pdb.NewBuilder(&policyv1.PodDisruptionBudget{ObjectMeta: at, Spec: policyv1.PodDisruptionBudgetSpec{
			Selector: everySelector(), MaxUnavailable: new(intstr.FromInt32(1)),
		}})),
		build(w, role.NewBuilder(&rbacv1.Role{ObjectMeta: at, Rules: rules})),
		build(w, rolebinding.NewBuilder(&rbacv1.RoleBinding{ObjectMeta: at, Subjects: subjects, RoleRef: ref("Role", "web")})),
		build(w, clusterrole.NewBuilder(&rbacv1.ClusterRole{ObjectMeta: w.global(), Rules: rules})),
		build(w, clusterrolebinding.NewBuilder(&rbacv1.ClusterRoleBinding{
			ObjectMeta: w.global(), Subjects: subjects, RoleRef: ref("ClusterRole", w.namespace),
		})),
	}
}

// The status changes between the read of a StatefulSet and its apply, so that the resourceVersions differ. That is no update.
func TestStatusOfAStatefulSetThatChangesMeanwhileIsNoUpdate(t *testing.T) {
	w := newWorld(t)
	ofClaims := func(b *component.Builder) {
		for _, one := range w.withPods() {
			if strings.Contains(one.Identity(), "StatefulSet") {
				b.WithResource(one)
			}
		}
	}
	require.NoError(t, w.reconcile(ofClaims))
	w.recorded()
	w.intercept(interceptor.Funcs{Apply: func(ctx context.Context, c client.WithWatch, o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
		live := w.get("web", &appsv1.StatefulSet{}).(*appsv1.StatefulSet)
		live.Status.Replicas++
		require.NoError(t, c.Status().Update(ctx, live))
		return c.Apply(ctx, o, opts...)
	}})
	require.NoError(t, w.reconcile(ofClaims))
	assert.Empty(t, w.recorded())
}

// TestEveryKindIsUnchangedWhenItIsAppliedAgain builds and reconciles all 21 kinds twice: defaults, normalised amounts and what the
// API server allocates are no change.
func TestEveryKindIsUnchangedWhenItIsAppliedAgain(t *testing.T) {
	w := newWorld(t)
	for _, want := range []concepts.ConvergingOperation{concepts.ConvergingOperationCreated, concepts.ConvergingOperationNone} {
		part := w.build(func(b *component.Builder) {
			for _, kinds := range [][]component.Resource{w.withPods(), w.integrations(), w.statics()} {
				for _, one := range kinds {
					b.WithResource(one)
				}
			}
		})
		result, err := part.Converge(t.Context(), w.context())
		require.NoError(t, err)
		require.Len(t, result.Resources, 21)
		for _, one := range result.Resources {
			assert.Equal(t, want, one.Operation, one.Identity)
		}
		if want == concepts.ConvergingOperationNone {
			assert.Empty(t, w.recorded())
		}
		w.recorded()
	}
}
