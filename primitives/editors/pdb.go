package editors

import (
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// PodDisruptionBudgetSpecEditor edits the spec of a PodDisruptionBudget. The API server refuses one with both bounds, and to set one leaves the other.
type PodDisruptionBudgetSpecEditor struct {
	wrapper[policyv1.PodDisruptionBudgetSpec]
}

var _ RawEditor[policyv1.PodDisruptionBudgetSpec] = (*PodDisruptionBudgetSpecEditor)(nil)

// NewPodDisruptionBudgetSpecEditor returns an editor of spec.
func NewPodDisruptionBudgetSpecEditor(spec *policyv1.PodDisruptionBudgetSpec) *PodDisruptionBudgetSpecEditor {
	return &PodDisruptionBudgetSpecEditor{wrapper[policyv1.PodDisruptionBudgetSpec]{spec}}
}

// SetMinAvailable sets how many pods have to stay available.
func (e *PodDisruptionBudgetSpecEditor) SetMinAvailable(bound intstr.IntOrString) {
	e.raw.MinAvailable = &bound
}

// ClearMinAvailable removes the bound of available pods.
func (e *PodDisruptionBudgetSpecEditor) ClearMinAvailable() { e.raw.MinAvailable = nil }

// SetMaxUnavailable sets how many pods may be unavailable.
func (e *PodDisruptionBudgetSpecEditor) SetMaxUnavailable(bound intstr.IntOrString) {
	e.raw.MaxUnavailable = &bound
}

// ClearMaxUnavailable removes the bound of unavailable pods.
func (e *PodDisruptionBudgetSpecEditor) ClearMaxUnavailable() { e.raw.MaxUnavailable = nil }

// SetSelector sets the pods that the budget is about.
func (e *PodDisruptionBudgetSpecEditor) SetSelector(selector *metav1.LabelSelector) {
	e.raw.Selector = selector.DeepCopy()
}

// SetUnhealthyPodEvictionPolicy says whether pods that are not healthy can be evicted.
func (e *PodDisruptionBudgetSpecEditor) SetUnhealthyPodEvictionPolicy(policy policyv1.UnhealthyPodEvictionPolicyType) {
	e.raw.UnhealthyPodEvictionPolicy = &policy
}

// ClearUnhealthyPodEvictionPolicy leaves that to the API server.
func (e *PodDisruptionBudgetSpecEditor) ClearUnhealthyPodEvictionPolicy() {
	e.raw.UnhealthyPodEvictionPolicy = nil
}
