package editors

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/internal/lists"
)

// EnsurePort exposes a port: one that has a name by its name, any other by number and protocol, no protocol meaning TCP.
func (e *ContainerEditor) EnsurePort(port corev1.ContainerPort) {
	lists.Ensure(&e.raw.Ports, port, func(other corev1.ContainerPort) bool {
		if port.Name != "" {
			return other.Name == port.Name
		}
		return other.ContainerPort == port.ContainerPort && orTCP(other.Protocol) == orTCP(port.Protocol)
	})
}

// RemovePort removes the first port of that name.
func (e *ContainerEditor) RemovePort(name string) {
	lists.RemoveFirst(&e.raw.Ports, func(port corev1.ContainerPort) bool { return port.Name == name })
}

// EnsureVolumeMount mounts a volume, by the path in the container.
func (e *ContainerEditor) EnsureVolumeMount(mount corev1.VolumeMount) {
	lists.Ensure(&e.raw.VolumeMounts, *mount.DeepCopy(), mountedAt(mount.MountPath))
}

// RemoveVolumeMount removes every mount at that path.
func (e *ContainerEditor) RemoveVolumeMount(path string) {
	lists.Remove(&e.raw.VolumeMounts, mountedAt(path))
}

func mountedAt(path string) func(corev1.VolumeMount) bool {
	return func(mount corev1.VolumeMount) bool { return mount.MountPath == path }
}

func orTCP(protocol corev1.Protocol) corev1.Protocol {
	if protocol == "" {
		return corev1.ProtocolTCP
	}
	return protocol
}
