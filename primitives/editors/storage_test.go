package editors_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"projection.sh/operator/primitives/editors"
)

func TestPVCSpec(t *testing.T) {
	spec := corev1.PersistentVolumeClaimSpec{}
	editor := editors.NewPVCSpecEditor(&spec)
	editor.SetStorageRequest(resource.MustParse("1Gi"))
	editor.SetAccessModes([]corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce})
	editor.SetStorageClassName("fast")
	editor.SetVolumeMode(corev1.PersistentVolumeBlock)
	editor.SetVolumeName("v")
	assert.Equal(t, corev1.PersistentVolumeClaimSpec{
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: new("fast"),
		VolumeMode: new(corev1.PersistentVolumeBlock), VolumeName: "v",
	}, spec)
}

func TestPVSpec(t *testing.T) {
	spec := corev1.PersistentVolumeSpec{}
	editor := editors.NewPVSpecEditor(&spec)
	editor.SetCapacity(resource.MustParse("1Gi"))
	editor.SetAccessModes([]corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce})
	editor.SetPersistentVolumeReclaimPolicy(corev1.PersistentVolumeReclaimRetain)
	editor.SetStorageClassName("fast")
	editor.SetMountOptions([]string{"ro"})
	editor.SetVolumeMode(corev1.PersistentVolumeBlock)
	editor.SetNodeAffinity(&corev1.VolumeNodeAffinity{})
	assert.Equal(t, corev1.PersistentVolumeSpec{
		Capacity:    corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
		StorageClassName: "fast", MountOptions: []string{"ro"}, VolumeMode: new(corev1.PersistentVolumeBlock), NodeAffinity: &corev1.VolumeNodeAffinity{},
	}, spec)
	editor.SetNodeAffinity(nil)
	assert.Nil(t, spec.NodeAffinity)
}

func TestPodDisruptionBudgetSpec(t *testing.T) {
	spec := policyv1.PodDisruptionBudgetSpec{}
	editor := editors.NewPodDisruptionBudgetSpecEditor(&spec)
	editor.SetMinAvailable(intstr.FromInt32(1))
	editor.SetMaxUnavailable(intstr.FromString("50%"))
	editor.SetSelector(&metav1.LabelSelector{})
	editor.SetUnhealthyPodEvictionPolicy(policyv1.AlwaysAllow)
	assert.Equal(t, policyv1.PodDisruptionBudgetSpec{
		MinAvailable: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromString("50%")), Selector: &metav1.LabelSelector{},
		UnhealthyPodEvictionPolicy: new(policyv1.AlwaysAllow),
	}, spec, "to set one bound leaves the other")
	editor.ClearMinAvailable()
	assert.NotNil(t, spec.MaxUnavailable)
	editor.ClearMaxUnavailable()
	editor.SetSelector(nil)
	editor.ClearUnhealthyPodEvictionPolicy()
	assert.Equal(t, policyv1.PodDisruptionBudgetSpec{}, spec)
}
