package editors

import (
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NetworkPolicySpecEditor edits the spec of a NetworkPolicy.
type NetworkPolicySpecEditor struct {
	wrapper[networkingv1.NetworkPolicySpec]
}

var _ RawEditor[networkingv1.NetworkPolicySpec] = (*NetworkPolicySpecEditor)(nil)

// NewNetworkPolicySpecEditor returns an editor of spec.
func NewNetworkPolicySpecEditor(spec *networkingv1.NetworkPolicySpec) *NetworkPolicySpecEditor {
	return &NetworkPolicySpecEditor{wrapper[networkingv1.NetworkPolicySpec]{spec}}
}

// SetPodSelector sets the pods that the policy is about.
func (e *NetworkPolicySpecEditor) SetPodSelector(selector metav1.LabelSelector) {
	e.raw.PodSelector = *selector.DeepCopy()
}

// SetPolicyTypes says whether the policy is about traffic that comes in, that goes out, or both.
func (e *NetworkPolicySpecEditor) SetPolicyTypes(types []networkingv1.PolicyType) {
	e.raw.PolicyTypes = slices.Clone(types)
}

// AppendIngressRule appends a rule for traffic that comes in. Rules have no identity: an equal one is appended, too.
func (e *NetworkPolicySpecEditor) AppendIngressRule(rule networkingv1.NetworkPolicyIngressRule) {
	e.raw.Ingress = append(e.raw.Ingress, *rule.DeepCopy())
}

// RemoveIngressRules removes all rules for traffic that comes in.
func (e *NetworkPolicySpecEditor) RemoveIngressRules() { e.raw.Ingress = nil }

// AppendEgressRule appends a rule for traffic that goes out. Rules have no identity: an equal one is appended, too.
func (e *NetworkPolicySpecEditor) AppendEgressRule(rule networkingv1.NetworkPolicyEgressRule) {
	e.raw.Egress = append(e.raw.Egress, *rule.DeepCopy())
}

// RemoveEgressRules removes all rules for traffic that goes out.
func (e *NetworkPolicySpecEditor) RemoveEgressRules() { e.raw.Egress = nil }
