package editors

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"projection.sh/operator/primitives/internal/lists"
)

// EnsureNodeSelector requires a label of the node.
func (e *PodSpecEditor) EnsureNodeSelector(key, value string) {
	lists.Set(&e.raw.NodeSelector, key, value)
}

// RemoveNodeSelector no longer requires a label of the node.
func (e *PodSpecEditor) RemoveNodeSelector(key string) { lists.Unset(&e.raw.NodeSelector, key) }

// EnsureToleration appends a toleration unless an equal one is there.
func (e *PodSpecEditor) EnsureToleration(toleration corev1.Toleration) {
	lists.EnsureAbsent(&e.raw.Tolerations, *toleration.DeepCopy(), func(other corev1.Toleration) bool {
		return equality.Semantic.DeepEqual(other, toleration)
	})
}

// RemoveTolerations removes the tolerations for which remove returns true, and keeps the order of the others. Nil removes
// none.
func (e *PodSpecEditor) RemoveTolerations(remove func(corev1.Toleration) bool) {
	if remove != nil {
		lists.Remove(&e.raw.Tolerations, remove)
	}
}

// SetTolerations replaces all tolerations.
func (e *PodSpecEditor) SetTolerations(tolerations []corev1.Toleration) {
	e.raw.Tolerations = cloneAll(tolerations)
}

// SetAffinity sets the affinity to nodes and other pods.
func (e *PodSpecEditor) SetAffinity(affinity *corev1.Affinity) { e.raw.Affinity = affinity.DeepCopy() }

// EnsureTopologySpreadConstraint adds a constraint, by its key and by what happens when it cannot be satisfied.
func (e *PodSpecEditor) EnsureTopologySpreadConstraint(constraint corev1.TopologySpreadConstraint) {
	lists.Ensure(&e.raw.TopologySpreadConstraints, *constraint.DeepCopy(), func(other corev1.TopologySpreadConstraint) bool {
		return other.TopologyKey == constraint.TopologyKey && other.WhenUnsatisfiable == constraint.WhenUnsatisfiable
	})
}

// RemoveTopologySpreadConstraint removes every constraint of that key.
func (e *PodSpecEditor) RemoveTopologySpreadConstraint(key string) {
	lists.Remove(&e.raw.TopologySpreadConstraints, func(constraint corev1.TopologySpreadConstraint) bool {
		return constraint.TopologyKey == key
	})
}

// SetPriorityClassName sets the priority class.
func (e *PodSpecEditor) SetPriorityClassName(name string) { e.raw.PriorityClassName = name }

// SetSchedulerName sets the scheduler.
func (e *PodSpecEditor) SetSchedulerName(name string) { e.raw.SchedulerName = name }
