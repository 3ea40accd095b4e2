package primitives_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"projection.sh/operator/primitives/clusterrole"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/cronjob"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/pod"
	"projection.sh/operator/primitives/pv"
	"projection.sh/operator/primitives/pvc"
	"projection.sh/operator/primitives/secret"
	"projection.sh/operator/primitives/selectors"
	"projection.sh/operator/primitives/serviceaccount"
	"projection.sh/operator/primitives/statefulset"
)

// does returns an edit that appends a word to a log.
func does[E any](log *[]string, word string) func(E) error {
	return func(E) error { *log = append(*log, word); return nil }
}

func TestOrderInCronJobs(t *testing.T) {
	var log []string
	object := &batchv1.CronJob{}
	object.Spec.JobTemplate.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web"}}
	m := cronjob.NewMutator(object)
	m.EditContainers(selectors.AllContainers(), does[*editors.ContainerEditor](&log, "container"))
	m.EditPodSpec(does[*editors.PodSpecEditor](&log, "pod"))
	m.EditPodTemplateMetadata(does[*editors.ObjectMetaEditor](&log, "template"))
	m.EditJobSpec(does[*editors.JobSpecEditor](&log, "job"))
	m.EditJobSpec(nil)
	m.EditCronJobSpec(does[*editors.CronJobSpecEditor](&log, "spec"))
	m.EditObjectMetadata(does[*editors.ObjectMetaEditor](&log, "metadata"))
	require.NoError(t, m.Apply())
	assert.Equal(t, []string{"metadata", "spec", "job", "template", "pod", "container"}, log)
}

func TestOrderInPods(t *testing.T) {
	var log []string
	m := pod.NewMutator(&corev1.Pod{Spec: corev1.PodSpec{InitContainers: []corev1.Container{{}}, Containers: []corev1.Container{{}}}})
	m.EditInitContainers(selectors.AllContainers(), does[*editors.ContainerEditor](&log, "init"))
	m.EditContainers(selectors.AllContainers(), does[*editors.ContainerEditor](&log, "container"))
	m.EditPodSpec(does[*editors.PodSpecEditor](&log, "pod"))
	m.EditObjectMetadata(does[*editors.ObjectMetaEditor](&log, "metadata"))
	require.NoError(t, m.Apply())
	assert.Equal(t, []string{"metadata", "pod", "container", "init"}, log)
}

func TestVolumeClaimTemplates(t *testing.T) {
	claim := func(name, class string) corev1.PersistentVolumeClaim {
		c := corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: &class}}
		c.Name = name
		return c
	}
	given := claim("a", "1")
	record := func(object *appsv1.StatefulSet) *statefulset.Mutator {
		m := statefulset.NewMutator(object)
		m.EnsureVolumeClaimTemplate(given)
		m.EnsureVolumeClaimTemplate(claim("b", "2"))
		m.EnsureVolumeClaimTemplate(claim("b", "3"))
		return m
	}
	object := &appsv1.StatefulSet{}
	m := record(object)
	*given.Spec.StorageClassName = "changed"
	require.NoError(t, m.Apply())
	assert.Equal(t, []corev1.PersistentVolumeClaim{claim("a", "1"), claim("b", "3")}, object.Spec.VolumeClaimTemplates)

	m = statefulset.NewMutator(object)
	m.RemoveVolumeClaimTemplate("a")
	m.RemoveVolumeClaimTemplate("b")
	m.RemoveVolumeClaimTemplate("absent")
	require.NoError(t, m.Apply())
	assert.Nil(t, object.Spec.VolumeClaimTemplates)

	object.ResourceVersion = "1"
	require.NoError(t, record(object).Apply())
	assert.Nil(t, object.Spec.VolumeClaimTemplates, "those of an object that exists cannot be changed")
}

func TestConfigMapEntries(t *testing.T) {
	object := &corev1.ConfigMap{Data: map[string]string{"a": "1", "y": "b: 1"}}
	m := configmap.NewMutator(object)
	m.EditData(func(e *editors.ConfigMapDataEditor) error { e.SetBinary("c", []byte{1}); return nil })
	m.EditData(nil)
	m.SetEntry("b", "2")
	m.RemoveEntry("a")
	m.MergeYAML("y", "c: 2")
	require.NoError(t, m.Apply())
	assert.Equal(t, &corev1.ConfigMap{Data: map[string]string{"b": "2", "y": "b: 1\nc: 2\n"}, BinaryData: map[string][]byte{"c": {1}}}, object)
	m = configmap.NewMutator(object)
	m.MergeYAML("y", "[")
	require.ErrorContains(t, m.Apply(), `configmap entry "y": failed to parse YAML patch: `)
}

func TestSecretEntries(t *testing.T) {
	object := &corev1.Secret{Data: map[string][]byte{"a": []byte("1"), "b": []byte("2")}, StringData: map[string]string{"s": "t", "gone": ""}}
	given := []byte("3")
	m := secret.NewMutator(object)
	m.SetData("c", given)
	given[0] = 'x'
	m.RemoveData("a")
	m.SetStringData("b", "over")
	m.RemoveStringData("gone")
	m.EditData(func(e *editors.SecretDataEditor) error { e.SetString("d", "4"); return nil })
	require.NoError(t, m.Apply())
	assert.Equal(t, &corev1.Secret{Data: map[string][]byte{
		"b": []byte("over"), "c": []byte("3"), "d": []byte("4"), "s": []byte("t"),
	}}, object, "stringData has become data")

	m = secret.NewMutator(object)
	m.EditData(func(*editors.SecretDataEditor) error { return errBoom })
	assert.Same(t, errBoom, m.Apply())
}

func TestServiceAccount(t *testing.T) {
	object := &corev1.ServiceAccount{}
	automount := new(true)
	m := serviceaccount.NewMutator(object)
	m.EnsureImagePullSecret("a")
	m.EnsureImagePullSecret("a")
	m.SetAutomountServiceAccountToken(automount)
	*automount = false
	require.NoError(t, m.Apply())
	assert.Equal(t, &corev1.ServiceAccount{
		ImagePullSecrets: []corev1.LocalObjectReference{{Name: "a"}}, AutomountServiceAccountToken: new(true),
	}, object)
	m = serviceaccount.NewMutator(object)
	m.RemoveImagePullSecret("a")
	m.SetAutomountServiceAccountToken(nil)
	require.NoError(t, m.Apply())
	assert.Equal(t, &corev1.ServiceAccount{}, object)
}

func TestClusterRole(t *testing.T) {
	rule := rbacv1.PolicyRule{Verbs: []string{"get"}}
	aggregation := &rbacv1.AggregationRule{}
	object := &rbacv1.ClusterRole{}
	m := clusterrole.NewMutator(object)
	m.AddRule(rule)
	rule.Verbs[0] = "changed"
	m.SetAggregationRule(aggregation)
	m.SetAggregationRule(nil)
	require.NoError(t, m.Apply())
	assert.Equal(t, &rbacv1.ClusterRole{Rules: []rbacv1.PolicyRule{{Verbs: []string{"get"}}}}, object, "the last aggregation rule counts")

	m = clusterrole.NewMutator(object)
	m.SetAggregationRule(aggregation)
	m.NextFeature()
	m.EditRules(func(e *editors.PolicyRulesEditor) error { e.AddRule(rbacv1.PolicyRule{}); return nil })
	require.NoError(t, m.Apply())
	assert.Equal(t, &rbacv1.ClusterRole{AggregationRule: aggregation}, object, "the rules are the control plane's")
	m = clusterrole.NewMutator(object)
	m.EditRules(func(*editors.PolicyRulesEditor) error { return errBoom })
	assert.Same(t, errBoom, m.Apply())
}

func TestVolumes(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{}
	claims := pvc.NewMutator(claim)
	claims.SetStorageRequest(resource.MustParse("1Gi"))
	require.NoError(t, claims.Apply())
	assert.Equal(t, resource.MustParse("1Gi"), claim.Spec.Resources.Requests[corev1.ResourceStorage])

	volume := &corev1.PersistentVolume{}
	mountOptions := []string{"ro"}
	m := pv.NewMutator(volume)
	m.SetStorageClassName("fast")
	m.SetReclaimPolicy(corev1.PersistentVolumeReclaimRetain)
	m.SetMountOptions(mountOptions)
	mountOptions[0] = "changed"
	require.NoError(t, m.Apply())
	assert.Equal(t, corev1.PersistentVolumeSpec{
		StorageClassName: "fast", PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain, MountOptions: []string{"ro"},
	}, volume.Spec)
}
