package component

import (
	"strings"
	"time"

	"projection.sh/operator/primitives/concepts"
)

// ConditionObject is the owner of conditions, as metrics name it.
type ConditionObject interface {
	// GetName returns the name.
	GetName() string
	// GetNamespace returns the namespace, or "" for a cluster-scoped owner.
	GetNamespace() string
}

// ResourceMetricLabels tell what an apply was about. They name no object, so that their number does not grow with that of
// the owners.
type ResourceMetricLabels struct {
	// OwnerKind is the kind of the owner.
	OwnerKind string
	// Component is the name of the component.
	Component string
	// Identifier tells the resources of a component apart: what a concepts.MetricsIdentifiable says, or else the kind in
	// lower case.
	Identifier string
	// Kind is the kind of the object.
	Kind string
}

// MetricsRecorder gets what components measure. It must be safe for concurrent use.
type MetricsRecorder interface {
	// RecordConditionFor notes the state of a condition. Components pass no extra values.
	RecordConditionFor(kind string, object ConditionObject, conditionType, conditionStatus, conditionReason string,
		lastTransitionTime time.Time, extraLabelValues ...string)
	// RecordResourceApply counts a managed resource that was applied, also if that changed nothing.
	RecordResourceApply(labels ResourceMetricLabels, op concepts.ConvergingOperation)
	// RecordResourceApplyError counts a managed resource that could not be applied, or whose status could not be told
	// after it was.
	RecordResourceApplyError(labels ResourceMetricLabels)
}

// ConditionKeeper is a MetricsRecorder that removes the series of conditions that an owner has no more. Implementing it is
// optional.
type ConditionKeeper interface {
	// KeepConditionsFor is called after the conditions of an owner were recorded. It gets the types of all of them, and
	// removes what was recorded for others.
	KeepConditionsFor(kind string, object ConditionObject, conditionTypes ...string)
}

// count counts an attempt to apply a resource: as one that succeeded, or as one that failed. An object that was only read,
// had to wait or is of an unknown kind does not count.
func (p *pass) count(r registration, attempt visit, err error) {
	if p.rec.Metrics == nil || attempt.kind == "" {
		return
	}
	labels := ResourceMetricLabels{
		OwnerKind:  p.rec.Owner.GetKind(),
		Component:  p.component.name,
		Identifier: metricsIdentifier(r.resource, attempt.kind),
		Kind:       attempt.kind,
	}
	if err != nil {
		p.rec.Metrics.RecordResourceApplyError(labels)
		return
	}
	p.rec.Metrics.RecordResourceApply(labels, attempt.op)
}

func metricsIdentifier(resource Resource, kind string) string {
	if identifiable, ok := resource.(concepts.MetricsIdentifiable); ok {
		if identifier := identifiable.MetricsIdentifier(); strings.TrimSpace(identifier) != "" {
			return identifier
		}
	}
	return strings.ToLower(kind)
}

// recordConditions hands on the conditions that were written.
func recordConditions(rec ReconcileContext) {
	if rec.Metrics == nil {
		return
	}
	var recorded []string
	for _, condition := range *rec.Owner.GetStatusConditions() {
		recorded = append(recorded, condition.Type)
		rec.Metrics.RecordConditionFor(rec.Owner.GetKind(), rec.Owner,
			condition.Type, string(condition.Status), condition.Reason, condition.LastTransitionTime.Time)
	}
	if keeper, ok := rec.Metrics.(ConditionKeeper); ok {
		keeper.KeepConditionsFor(rec.Owner.GetKind(), rec.Owner, recorded...)
	}
}
