package editors

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/internal/lists"
)

// ServiceSpecEditor edits the spec of a Service.
type ServiceSpecEditor struct {
	wrapper[corev1.ServiceSpec]
}

var _ RawEditor[corev1.ServiceSpec] = (*ServiceSpecEditor)(nil)

// NewServiceSpecEditor returns an editor of spec.
func NewServiceSpecEditor(spec *corev1.ServiceSpec) *ServiceSpecEditor {
	return &ServiceSpecEditor{wrapper[corev1.ServiceSpec]{spec}}
}

// SetType sets how the service is reached.
func (e *ServiceSpecEditor) SetType(serviceType corev1.ServiceType) { e.raw.Type = serviceType }

// EnsurePort adds a port: one that has a name by its name, any other by number and protocol, no protocol meaning TCP,
// whatever the name of the port that it replaces.
func (e *ServiceSpecEditor) EnsurePort(port corev1.ServicePort) {
	lists.Ensure(&e.raw.Ports, *port.DeepCopy(), func(other corev1.ServicePort) bool {
		if port.Name != "" {
			return other.Name == port.Name
		}
		return other.Port == port.Port && orTCP(other.Protocol) == orTCP(port.Protocol)
	})
}

// RemovePort removes the first port of that name; "" is the name of ports without one.
func (e *ServiceSpecEditor) RemovePort(name string) {
	lists.RemoveFirst(&e.raw.Ports, func(port corev1.ServicePort) bool { return port.Name == name })
}

// SetSelector replaces the labels of the pods that serve.
func (e *ServiceSpecEditor) SetSelector(labels map[string]string) {
	e.raw.Selector = maps.Clone(labels)
}

// EnsureSelector sets one label of the pods that serve.
func (e *ServiceSpecEditor) EnsureSelector(key, value string) { lists.Set(&e.raw.Selector, key, value) }

// RemoveSelector removes one label of the pods that serve.
func (e *ServiceSpecEditor) RemoveSelector(key string) { lists.Unset(&e.raw.Selector, key) }

// SetSessionAffinity says whether a client is kept at one pod.
func (e *ServiceSpecEditor) SetSessionAffinity(affinity corev1.ServiceAffinity) {
	e.raw.SessionAffinity = affinity
}

// SetSessionAffinityConfig sets how long a client is kept at one pod.
func (e *ServiceSpecEditor) SetSessionAffinityConfig(config *corev1.SessionAffinityConfig) {
	e.raw.SessionAffinityConfig = config.DeepCopy()
}

// SetPublishNotReadyAddresses says whether pods that are not ready can be found.
func (e *ServiceSpecEditor) SetPublishNotReadyAddresses(publish bool) {
	e.raw.PublishNotReadyAddresses = publish
}

// SetExternalTrafficPolicy says which nodes serve traffic from outside.
func (e *ServiceSpecEditor) SetExternalTrafficPolicy(policy corev1.ServiceExternalTrafficPolicy) {
	e.raw.ExternalTrafficPolicy = policy
}

// SetInternalTrafficPolicy says which nodes serve traffic from inside.
func (e *ServiceSpecEditor) SetInternalTrafficPolicy(policy *corev1.ServiceInternalTrafficPolicy) {
	e.raw.InternalTrafficPolicy = lists.Clone(policy)
}

// SetLoadBalancerSourceRanges sets which addresses may reach the load balancer.
func (e *ServiceSpecEditor) SetLoadBalancerSourceRanges(ranges []string) {
	e.raw.LoadBalancerSourceRanges = slices.Clone(ranges)
}

// SetExternalName sets the name that the service stands for.
func (e *ServiceSpecEditor) SetExternalName(name string) { e.raw.ExternalName = name }
