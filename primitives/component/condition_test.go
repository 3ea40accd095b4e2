package component_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/component"
)

func TestConditionOfAnOwnerThatHasNone(t *testing.T) {
	condition := partOf(t, 0).GetCondition(&App{ObjectMeta: metav1.ObjectMeta{Generation: 4}})
	assert.Equal(t, component.Condition{
		Type: "Ready", Status: metav1.ConditionFalse, Reason: "Unknown",
		Message: "Component has not been reconciled yet.", ObservedGeneration: 4,
	}, condition)
	assert.Equal(t, ready, condition.ConditionType())
	assert.Equal(t, component.Unknown, condition.ComponentStatus())
}

func TestConditionOfAnOwner(t *testing.T) {
	owner := ownerWas(component.AliveScaling, time.Minute)
	assert.Equal(t, component.Condition(owner.Status.Conditions[0]), partOf(t, 0).GetCondition(owner))
}
