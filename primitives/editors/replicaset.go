package editors

import (
	appsv1 "k8s.io/api/apps/v1"
)

// ReplicaSetSpecEditor edits the spec of a ReplicaSet.
type ReplicaSetSpecEditor struct {
	wrapper[appsv1.ReplicaSetSpec]
}

var _ RawEditor[appsv1.ReplicaSetSpec] = (*ReplicaSetSpecEditor)(nil)

// NewReplicaSetSpecEditor returns an editor of spec.
func NewReplicaSetSpecEditor(spec *appsv1.ReplicaSetSpec) *ReplicaSetSpecEditor {
	return &ReplicaSetSpecEditor{wrapper[appsv1.ReplicaSetSpec]{spec}}
}

// SetReplicas sets how many pods there are.
func (e *ReplicaSetSpecEditor) SetReplicas(replicas int32) { e.raw.Replicas = new(replicas) }

// SetMinReadySeconds sets how long a pod has to be ready to be available.
func (e *ReplicaSetSpecEditor) SetMinReadySeconds(seconds int32) { e.raw.MinReadySeconds = seconds }
