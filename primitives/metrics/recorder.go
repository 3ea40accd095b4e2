package metrics

import (
	"time"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

// Recorder is the component.MetricsRecorder of one controller. A nil Recorder measures nothing.
type Recorder struct {
	controller string
	conditions *OperatorConditionsGauge
	collectors *Collectors
}

var (
	_ component.MetricsRecorder = (*Recorder)(nil)
	_ component.ConditionKeeper = (*Recorder)(nil)
)

// NewRecorder returns a recorder for the controller of that name. Without a gauge, or without collectors, that half is not
// measured.
func NewRecorder(controller string, conditions *OperatorConditionsGauge, collectors *Collectors) *Recorder {
	return &Recorder{controller: controller, conditions: conditions, collectors: collectors}
}

// RecordConditionFor replaces the series of the condition. The gauge has no labels for extra values, which are ignored.
func (r *Recorder) RecordConditionFor(
	kind string, object component.ConditionObject, conditionType, conditionStatus, conditionReason string,
	lastTransitionTime time.Time, _ ...string,
) {
	if r != nil && r.conditions != nil {
		r.conditions.set(ownerOf(r.controller, kind, object), conditionType,
			condition{status: conditionStatus, reason: conditionReason, since: lastTransitionTime})
	}
}

// KeepConditionsFor removes the series of all other conditions of the owner. component.FlushStatus calls it.
//
// Example: a new version of an operator removes a condition from the status of an owner and flushes it. The series of the
// condition is removed, too.
func (r *Recorder) KeepConditionsFor(kind string, object component.ConditionObject, conditionTypes ...string) {
	if r != nil && r.conditions != nil {
		r.conditions.keep(ownerOf(r.controller, kind, object), conditionTypes)
	}
}

// RemoveConditionsFor removes the series of an owner that is gone, and returns how many there were. A controller calls it
// when it does not find the owner of a request any more, or has removed its finalizer.
func (r *Recorder) RemoveConditionsFor(kind string, object component.ConditionObject) int {
	if r == nil || r.conditions == nil {
		return 0
	}
	return r.conditions.remove(ownerOf(r.controller, kind, object))
}

// RecordResourceApply counts an apply.
func (r *Recorder) RecordResourceApply(labels component.ResourceMetricLabels, op concepts.ConvergingOperation) {
	if r != nil && r.collectors != nil {
		r.collectors.applied(r.controller, labels, op)
	}
}

// RecordResourceApplyError counts an apply that failed.
func (r *Recorder) RecordResourceApplyError(labels component.ResourceMetricLabels) {
	if r != nil && r.collectors != nil {
		r.collectors.failed(r.controller, labels)
	}
}
