package editors

import (
	appsv1 "k8s.io/api/apps/v1"
)

// StatefulSetSpecEditor edits the spec of a StatefulSet.
type StatefulSetSpecEditor struct {
	wrapper[appsv1.StatefulSetSpec]
}

var _ RawEditor[appsv1.StatefulSetSpec] = (*StatefulSetSpecEditor)(nil)

// NewStatefulSetSpecEditor returns an editor of spec.
func NewStatefulSetSpecEditor(spec *appsv1.StatefulSetSpec) *StatefulSetSpecEditor {
	return &StatefulSetSpecEditor{wrapper[appsv1.StatefulSetSpec]{spec}}
}

// SetReplicas sets how many pods there are.
func (e *StatefulSetSpecEditor) SetReplicas(replicas int32) { e.raw.Replicas = new(replicas) }

// SetServiceName sets the service that gives the pods their names.
func (e *StatefulSetSpecEditor) SetServiceName(name string) { e.raw.ServiceName = name }

// SetPodManagementPolicy says whether pods start one after the other.
func (e *StatefulSetSpecEditor) SetPodManagementPolicy(policy appsv1.PodManagementPolicyType) {
	e.raw.PodManagementPolicy = policy
}

// SetUpdateStrategy sets how changes of the pod template reach the pods.
func (e *StatefulSetSpecEditor) SetUpdateStrategy(strategy appsv1.StatefulSetUpdateStrategy) {
	e.raw.UpdateStrategy = *strategy.DeepCopy()
}

// SetRevisionHistoryLimit sets how many old revisions are kept.
func (e *StatefulSetSpecEditor) SetRevisionHistoryLimit(limit int32) {
	e.raw.RevisionHistoryLimit = new(limit)
}

// SetMinReadySeconds sets how long a pod has to be ready to be available.
func (e *StatefulSetSpecEditor) SetMinReadySeconds(seconds int32) { e.raw.MinReadySeconds = seconds }

// SetPersistentVolumeClaimRetentionPolicy says what becomes of the claims of pods that go.
func (e *StatefulSetSpecEditor) SetPersistentVolumeClaimRetentionPolicy(
	policy *appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy,
) {
	e.raw.PersistentVolumeClaimRetentionPolicy = policy.DeepCopy()
}
