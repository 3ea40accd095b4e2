package component_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/primitives/component"
)

func TestStatuses(t *testing.T) {
	healthy := map[component.Status]bool{component.Healthy: true, component.Operational: true, component.Completed: true}
	for status, want := range map[component.Status]struct {
		text     string
		priority int
	}{
		component.Error:              {"Error", 20},
		component.FeatureGateError:   {"FeatureGateError", 20},
		component.Down:               {"Down", 19},
		component.Degraded:           {"Degraded", 18},
		component.PendingSuspension:  {"PendingSuspension", 17},
		component.Suspending:         {"Suspending", 16},
		component.Suspended:          {"Suspended", 15},
		component.Disabled:           {"Disabled", 14},
		component.AliveFailing:       {"Failing", 13},
		component.OperationFailing:   {"OperationFailing", 12},
		component.CompletionFailing:  {"TaskFailing", 11},
		component.GuardBlocked:       {"Blocked", 10},
		component.PrerequisiteNotMet: {"PrerequisiteNotMet", 10},
		component.AliveScaling:       {"Scaling", 9},
		component.CompletionRunning:  {"TaskRunning", 8},
		component.AliveUpdating:      {"Updating", 7},
		component.AliveCreating:      {"Creating", 6},
		component.OperationPending:   {"OperationPending", 5},
		component.CompletionPending:  {"TaskPending", 4},
		component.Healthy:            {"Healthy", 3},
		component.Operational:        {"Operational", 2},
		component.Completed:          {"Completed", 1},
		component.Unknown:            {"Unknown", 0},
		"Odd":                        {"Odd", 0},
	} {
		assert.Equal(t, want.text, string(status))
		assert.Equal(t, want.priority, status.Priority(), status)
		assert.Equal(t, healthy[status], status.Healthy(), status)
	}
}
