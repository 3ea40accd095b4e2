package editors

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/internal/lists"
)

// PodSpecEditor edits the spec of a pod, or of the pods that a template makes.
type PodSpecEditor struct {
	wrapper[corev1.PodSpec]
}

var _ RawEditor[corev1.PodSpec] = (*PodSpecEditor)(nil)

// NewPodSpecEditor returns an editor of spec.
func NewPodSpecEditor(spec *corev1.PodSpec) *PodSpecEditor {
	return &PodSpecEditor{wrapper[corev1.PodSpec]{spec}}
}

// SetServiceAccountName sets the service account.
func (e *PodSpecEditor) SetServiceAccountName(name string) { e.raw.ServiceAccountName = name }

// SetAutomountServiceAccountToken says whether the pod gets a token of its service account.
func (e *PodSpecEditor) SetAutomountServiceAccountToken(automount *bool) {
	e.raw.AutomountServiceAccountToken = lists.Clone(automount)
}

// EnsureImagePullSecret adds a pull secret, by name.
func (e *PodSpecEditor) EnsureImagePullSecret(name string) {
	reference := corev1.LocalObjectReference{Name: name}
	lists.EnsureAbsent(&e.raw.ImagePullSecrets, reference, lists.Equal(reference))
}

// RemoveImagePullSecret removes every pull secret of that name.
func (e *PodSpecEditor) RemoveImagePullSecret(name string) {
	lists.Remove(&e.raw.ImagePullSecrets, lists.Equal(corev1.LocalObjectReference{Name: name}))
}

// EnsureVolume adds a volume, by name.
func (e *PodSpecEditor) EnsureVolume(volume corev1.Volume) {
	lists.Ensure(&e.raw.Volumes, *volume.DeepCopy(), volumeNamed(volume.Name))
}

// RemoveVolume removes every volume of that name.
func (e *PodSpecEditor) RemoveVolume(name string) { lists.Remove(&e.raw.Volumes, volumeNamed(name)) }

func volumeNamed(name string) func(corev1.Volume) bool {
	return func(volume corev1.Volume) bool { return volume.Name == name }
}

// SetHostNetwork says whether the pod uses the network of its node.
func (e *PodSpecEditor) SetHostNetwork(enabled bool) { e.raw.HostNetwork = enabled }

// SetHostPID says whether the pod sees the processes of its node.
func (e *PodSpecEditor) SetHostPID(enabled bool) { e.raw.HostPID = enabled }

// SetHostIPC says whether the pod uses the inter-process communication of its node.
func (e *PodSpecEditor) SetHostIPC(enabled bool) { e.raw.HostIPC = enabled }

// SetHostAliases replaces the entries of the hosts file.
func (e *PodSpecEditor) SetHostAliases(aliases []corev1.HostAlias) {
	e.raw.HostAliases = cloneAll(aliases)
}

// SetDNSPolicy sets how names are resolved.
func (e *PodSpecEditor) SetDNSPolicy(policy corev1.DNSPolicy) { e.raw.DNSPolicy = policy }

// SetSecurityContext sets the security context of all containers.
func (e *PodSpecEditor) SetSecurityContext(context *corev1.PodSecurityContext) {
	e.raw.SecurityContext = context.DeepCopy()
}

// SetTerminationGracePeriodSeconds sets how long the containers have to end.
func (e *PodSpecEditor) SetTerminationGracePeriodSeconds(seconds int64) {
	e.raw.TerminationGracePeriodSeconds = new(seconds)
}

// SetRuntimeClassName sets the runtime class.
func (e *PodSpecEditor) SetRuntimeClassName(name string) { e.raw.RuntimeClassName = new(name) }
