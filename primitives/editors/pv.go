package editors

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// PVSpecEditor edits the spec of a PersistentVolume.
type PVSpecEditor struct {
	wrapper[corev1.PersistentVolumeSpec]
}

var _ RawEditor[corev1.PersistentVolumeSpec] = (*PVSpecEditor)(nil)

// NewPVSpecEditor returns an editor of spec.
func NewPVSpecEditor(spec *corev1.PersistentVolumeSpec) *PVSpecEditor {
	return &PVSpecEditor{wrapper[corev1.PersistentVolumeSpec]{spec}}
}

// SetCapacity sets how much storage there is.
func (e *PVSpecEditor) SetCapacity(quantity resource.Quantity) {
	setQuantity(&e.raw.Capacity, corev1.ResourceStorage, quantity)
}

// SetPersistentVolumeReclaimPolicy says what becomes of the volume when its claim goes.
func (e *PVSpecEditor) SetPersistentVolumeReclaimPolicy(policy corev1.PersistentVolumeReclaimPolicy) {
	e.raw.PersistentVolumeReclaimPolicy = policy
}

// SetStorageClassName sets the storage class.
func (e *PVSpecEditor) SetStorageClassName(name string) { e.raw.StorageClassName = name }

// SetAccessModes replaces the ways to mount the volume.
func (e *PVSpecEditor) SetAccessModes(modes []corev1.PersistentVolumeAccessMode) {
	e.raw.AccessModes = slices.Clone(modes)
}

// SetMountOptions replaces the options of the mount.
func (e *PVSpecEditor) SetMountOptions(options []string) { e.raw.MountOptions = slices.Clone(options) }

// SetVolumeMode says whether the volume has a file system.
func (e *PVSpecEditor) SetVolumeMode(mode corev1.PersistentVolumeMode) { e.raw.VolumeMode = &mode }

// SetNodeAffinity sets the nodes from which the volume can be reached.
func (e *PVSpecEditor) SetNodeAffinity(affinity *corev1.VolumeNodeAffinity) {
	e.raw.NodeAffinity = affinity.DeepCopy()
}
