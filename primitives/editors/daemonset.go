package editors

import (
	appsv1 "k8s.io/api/apps/v1"
)

// DaemonSetSpecEditor edits the spec of a DaemonSet.
type DaemonSetSpecEditor struct {
	wrapper[appsv1.DaemonSetSpec]
}

var _ RawEditor[appsv1.DaemonSetSpec] = (*DaemonSetSpecEditor)(nil)

// NewDaemonSetSpecEditor returns an editor of spec.
func NewDaemonSetSpecEditor(spec *appsv1.DaemonSetSpec) *DaemonSetSpecEditor {
	return &DaemonSetSpecEditor{wrapper[appsv1.DaemonSetSpec]{spec}}
}

// SetUpdateStrategy sets how changes of the pod template reach the pods.
func (e *DaemonSetSpecEditor) SetUpdateStrategy(strategy appsv1.DaemonSetUpdateStrategy) {
	e.raw.UpdateStrategy = *strategy.DeepCopy()
}

// SetMinReadySeconds sets how long a pod has to be ready to be available.
func (e *DaemonSetSpecEditor) SetMinReadySeconds(seconds int32) { e.raw.MinReadySeconds = seconds }

// SetRevisionHistoryLimit sets how many old revisions are kept.
func (e *DaemonSetSpecEditor) SetRevisionHistoryLimit(limit int32) {
	e.raw.RevisionHistoryLimit = new(limit)
}
