package editors

import (
	"slices"

	networkingv1 "k8s.io/api/networking/v1"

	"projection.sh/operator/primitives/internal/lists"
)

// IngressSpecEditor edits the spec of an Ingress.
type IngressSpecEditor struct {
	wrapper[networkingv1.IngressSpec]
}

var _ RawEditor[networkingv1.IngressSpec] = (*IngressSpecEditor)(nil)

// NewIngressSpecEditor returns an editor of spec.
func NewIngressSpecEditor(spec *networkingv1.IngressSpec) *IngressSpecEditor {
	return &IngressSpecEditor{wrapper[networkingv1.IngressSpec]{spec}}
}

// SetIngressClassName sets the class, and by it the controller.
func (e *IngressSpecEditor) SetIngressClassName(name string) { e.raw.IngressClassName = new(name) }

// SetDefaultBackend sets what serves requests that no rule matches.
func (e *IngressSpecEditor) SetDefaultBackend(backend *networkingv1.IngressBackend) {
	e.raw.DefaultBackend = backend.DeepCopy()
}

// EnsureRule adds a rule, by host. No host is a host of its own.
func (e *IngressSpecEditor) EnsureRule(rule networkingv1.IngressRule) {
	lists.Ensure(&e.raw.Rules, *rule.DeepCopy(), ruleFor(rule.Host))
}

// RemoveRule removes the first rule for the host.
func (e *IngressSpecEditor) RemoveRule(host string) { lists.RemoveFirst(&e.raw.Rules, ruleFor(host)) }

func ruleFor(host string) func(networkingv1.IngressRule) bool {
	return func(rule networkingv1.IngressRule) bool { return rule.Host == host }
}

// EnsureTLS adds an entry, by its first host. An entry without hosts is ignored.
func (e *IngressSpecEditor) EnsureTLS(entry networkingv1.IngressTLS) {
	if len(entry.Hosts) > 0 {
		lists.Ensure(&e.raw.TLS, *entry.DeepCopy(), firstHostIn(entry.Hosts[:1]))
	}
}

// RemoveTLS removes every entry whose first host is one of these.
func (e *IngressSpecEditor) RemoveTLS(hosts ...string) { lists.Remove(&e.raw.TLS, firstHostIn(hosts)) }

func firstHostIn(hosts []string) func(networkingv1.IngressTLS) bool {
	return func(entry networkingv1.IngressTLS) bool {
		return len(entry.Hosts) > 0 && slices.Contains(hosts, entry.Hosts[0])
	}
}
