package editors

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// PVCSpecEditor edits the spec of a PersistentVolumeClaim.
type PVCSpecEditor struct {
	wrapper[corev1.PersistentVolumeClaimSpec]
}

var _ RawEditor[corev1.PersistentVolumeClaimSpec] = (*PVCSpecEditor)(nil)

// NewPVCSpecEditor returns an editor of spec.
func NewPVCSpecEditor(spec *corev1.PersistentVolumeClaimSpec) *PVCSpecEditor {
	return &PVCSpecEditor{wrapper[corev1.PersistentVolumeClaimSpec]{spec}}
}

// SetStorageRequest sets how much storage is asked for.
func (e *PVCSpecEditor) SetStorageRequest(quantity resource.Quantity) {
	setQuantity(&e.raw.Resources.Requests, corev1.ResourceStorage, quantity)
}

// SetAccessModes replaces the ways to mount the volume.
func (e *PVCSpecEditor) SetAccessModes(modes []corev1.PersistentVolumeAccessMode) {
	e.raw.AccessModes = slices.Clone(modes)
}

// SetStorageClassName sets the storage class.
func (e *PVCSpecEditor) SetStorageClassName(name string) { e.raw.StorageClassName = new(name) }

// SetVolumeMode says whether the volume has a file system.
func (e *PVCSpecEditor) SetVolumeMode(mode corev1.PersistentVolumeMode) { e.raw.VolumeMode = &mode }

// SetVolumeName asks for one volume.
func (e *PVCSpecEditor) SetVolumeName(name string) { e.raw.VolumeName = name }
