package generic_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
)

func TestReadyCondition(t *testing.T) {
	type object = map[string]any
	condition := func(fields object) object {
		fields["type"] = "Ready"
		return object{"conditions": []any{"no condition", object{"type": "Other", "status": "True"}, fields}}
	}
	const (
		created, none = concepts.ConvergingOperationCreated, concepts.ConvergingOperationNone
		observe       = "Waiting for Widget controller to observe latest spec"
	)
	stale, fresh := condition(object{"status": "True"}), condition(object{"status": "True", "reason": "Up"})
	stale["observedGeneration"], fresh["observedGeneration"] = int64(1), int64(2)
	for name, test := range map[string]struct {
		status      any
		op          concepts.ConvergingOperation
		alive       concepts.AliveConvergingStatus
		operational concepts.OperationalStatus
		grace       concepts.GraceStatus
		reason      string
	}{
		"no status":               {nil, created, "Creating", "OperationPending", "Degraded", "Waiting for condition Ready"},
		"no conditions":           {object{}, none, "Updating", "OperationPending", "Degraded", "Waiting for condition Ready"},
		"malformed":               {object{"conditions": "no list"}, none, "Updating", "OperationPending", "Degraded", "Waiting for condition Ready"},
		"no such condition":       {object{"conditions": []any{object{"type": "Other"}}}, none, "Updating", "OperationPending", "Degraded", "Waiting for condition Ready"},
		"true":                    {condition(object{"status": "True"}), none, "Healthy", "Operational", "Healthy", "Ready is True"},
		"true with a message":     {condition(object{"status": "True", "reason": "Up", "message": "is up"}), created, "Healthy", "Operational", "Healthy", "is up"},
		"false":                   {condition(object{"status": "False", "reason": "Broken"}), created, "Failing", "OperationFailing", "Down", "Broken"},
		"unknown":                 {condition(object{"status": "Unknown"}), created, "Creating", "OperationPending", "Degraded", "Ready is Unknown"},
		"of another generation":   {stale, created, "Creating", "OperationPending", "Degraded", observe},
		"of the generation":       {fresh, none, "Healthy", "Operational", "Healthy", "Up"},
		"its own generation":      {condition(object{"status": "False", "observedGeneration": int64(1)}), none, "Updating", "OperationPending", "Degraded", observe},
		"its own, the newest one": {condition(object{"status": "True", "observedGeneration": int64(2)}), none, "Healthy", "Operational", "Healthy", "Ready is True"},
	} {
		t.Run(name, func(t *testing.T) {
			widget := &uns.Unstructured{Object: object{"kind": "Widget", "metadata": object{"generation": int64(2)}, "status": test.status}}
			alive, err := generic.ReadyCondition("Ready")(test.op, widget)
			require.NoError(t, err)
			assert.Equal(t, concepts.AliveStatusWithReason{Status: test.alive, Reason: test.reason}, alive)
			operational, err := generic.ReadyConditionOperational("Ready")(test.op, widget)
			require.NoError(t, err)
			assert.Equal(t, concepts.OperationalStatusWithReason{Status: test.operational, Reason: test.reason}, operational)
			grace, err := generic.ReadyConditionGrace("Ready")(widget)
			require.NoError(t, err)
			assert.Equal(t, concepts.GraceStatusWithReason{Status: test.grace, Reason: test.reason}, grace)
		})
	}
}
