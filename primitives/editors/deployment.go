package editors

import (
	appsv1 "k8s.io/api/apps/v1"
)

// DeploymentSpecEditor edits the spec of a Deployment.
type DeploymentSpecEditor struct {
	wrapper[appsv1.DeploymentSpec]
}

var _ RawEditor[appsv1.DeploymentSpec] = (*DeploymentSpecEditor)(nil)

// NewDeploymentSpecEditor returns an editor of spec.
func NewDeploymentSpecEditor(spec *appsv1.DeploymentSpec) *DeploymentSpecEditor {
	return &DeploymentSpecEditor{wrapper[appsv1.DeploymentSpec]{spec}}
}

// SetReplicas sets how many pods there are.
func (e *DeploymentSpecEditor) SetReplicas(replicas int32) { e.raw.Replicas = new(replicas) }

// SetPaused says whether changes of the pod template are held back.
func (e *DeploymentSpecEditor) SetPaused(paused bool) { e.raw.Paused = paused }

// SetMinReadySeconds sets how long a pod has to be ready to be available.
func (e *DeploymentSpecEditor) SetMinReadySeconds(seconds int32) { e.raw.MinReadySeconds = seconds }

// SetRevisionHistoryLimit sets how many old revisions are kept.
func (e *DeploymentSpecEditor) SetRevisionHistoryLimit(limit int32) {
	e.raw.RevisionHistoryLimit = new(limit)
}

// SetProgressDeadlineSeconds sets how long a rollout may make no progress before it counts as failed.
func (e *DeploymentSpecEditor) SetProgressDeadlineSeconds(seconds int32) {
	e.raw.ProgressDeadlineSeconds = new(seconds)
}
