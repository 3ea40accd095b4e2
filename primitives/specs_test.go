package primitives_test

import (
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

	"projection.sh/operator/primitives/clusterrole"
	"projection.sh/operator/primitives/clusterrolebinding"
	"projection.sh/operator/primitives/daemonset"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/hpa"
	"projection.sh/operator/primitives/ingress"
	"projection.sh/operator/primitives/job"
	"projection.sh/operator/primitives/networkpolicy"
	"projection.sh/operator/primitives/pdb"
	"projection.sh/operator/primitives/pv"
	"projection.sh/operator/primitives/pvc"
	"projection.sh/operator/primitives/replicaset"
	"projection.sh/operator/primitives/role"
	"projection.sh/operator/primitives/rolebinding"
	"projection.sh/operator/primitives/service"
	"projection.sh/operator/primitives/statefulset"
)

// rawEditor is what all editors of specs are.
type rawEditor[T any] interface{ Raw() *T }

// requireEdits checks that edits get an editor of the wanted part, after the metadata, and that nil is ignored.
func requireEdits[E rawEditor[T], T any](t *testing.T, m mutator, record func(func(E) error), want *T) {
	t.Helper()
	var log []string
	record(nil)
	record(func(e E) error {
		assert.Same(t, want, e.Raw())
		log = append(log, "spec")
		return nil
	})
	m.EditObjectMetadata(does[*editors.ObjectMetaEditor](&log, "metadata"))
	require.NoError(t, m.Apply())
	assert.Equal(t, []string{"metadata", "spec"}, log)
}

func TestEditsOfSpecs(t *testing.T) {
	statefulSets, replicaSets, daemonSets, jobs := &appsv1.StatefulSet{}, &appsv1.ReplicaSet{}, &appsv1.DaemonSet{}, &batchv1.Job{}
	sm, rm, dm, jm := statefulset.NewMutator(statefulSets), replicaset.NewMutator(replicaSets), daemonset.NewMutator(daemonSets), job.NewMutator(jobs)
	requireEdits(t, sm, sm.EditStatefulSetSpec, &statefulSets.Spec)
	requireEdits(t, rm, rm.EditReplicaSetSpec, &replicaSets.Spec)
	requireEdits(t, dm, dm.EditDaemonSetSpec, &daemonSets.Spec)
	requireEdits(t, jm, jm.EditJobSpec, &jobs.Spec)

	services, ingresses, policies := &corev1.Service{}, &networkingv1.Ingress{}, &networkingv1.NetworkPolicy{}
	svc, im, nm := service.NewMutator(services), ingress.NewMutator(ingresses), networkpolicy.NewMutator(policies)
	requireEdits(t, svc, svc.EditServiceSpec, &services.Spec)
	requireEdits(t, im, im.EditIngressSpec, &ingresses.Spec)
	requireEdits(t, nm, nm.EditNetworkPolicySpec, &policies.Spec)

	autoscalers, budgets := &autoscalingv2.HorizontalPodAutoscaler{}, &policyv1.PodDisruptionBudget{}
	hm, bm := hpa.NewMutator(autoscalers), pdb.NewMutator(budgets)
	requireEdits(t, hm, hm.EditHPASpec, &autoscalers.Spec)
	requireEdits(t, bm, bm.EditSpec, &budgets.Spec)

	claims, volumes := &corev1.PersistentVolumeClaim{}, &corev1.PersistentVolume{}
	cm, vm := pvc.NewMutator(claims), pv.NewMutator(volumes)
	requireEdits(t, cm, cm.EditPVCSpec, &claims.Spec)
	requireEdits(t, vm, vm.EditPVSpec, &volumes.Spec)

	roles, clusterRoles, bindings, clusterBindings := &rbacv1.Role{}, &rbacv1.ClusterRole{}, &rbacv1.RoleBinding{}, &rbacv1.ClusterRoleBinding{}
	rlm, crm := role.NewMutator(roles), clusterrole.NewMutator(clusterRoles)
	rbm, crbm := rolebinding.NewMutator(bindings), clusterrolebinding.NewMutator(clusterBindings)
	requireEdits(t, rlm, rlm.EditRules, &roles.Rules)
	requireEdits(t, crm, crm.EditRules, &clusterRoles.Rules)
	requireEdits(t, rbm, rbm.EditSubjects, &bindings.Subjects)
	requireEdits(t, crbm, crbm.EditSubjects, &clusterBindings.Subjects)
}
