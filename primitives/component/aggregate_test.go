package component_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/component"
)

func TestAggregate(t *testing.T) {
	const isTrue, isFalse = metav1.ConditionTrue, metav1.ConditionFalse
	condition := func(name string, status metav1.ConditionStatus, reason component.Status, message string) metav1.Condition {
		return metav1.Condition{Type: name, Status: status, Reason: string(reason), Message: message}
	}
	for name, test := range map[string]struct {
		parts      []string
		conditions []metav1.Condition
		want       component.Condition
	}{
		"nothing": {want: component.Condition{Status: isFalse, Reason: "Unknown", Message: "No components were aggregated."}},
		"all true": {
			[]string{"a", "b"},
			[]metav1.Condition{condition("a", isTrue, component.Healthy, "fine"), condition("b", isTrue, component.Suspended, "asleep")},
			component.Condition{Status: isTrue, Reason: "Suspended", Message: "b: asleep"},
		},
		"what is not true governs": {
			[]string{"a", "b", "c"},
			[]metav1.Condition{
				condition("a", isTrue, component.Disabled, "off"),
				condition("b", isFalse, component.AliveCreating, "starting"),
				condition("c", isFalse, component.AliveScaling, ""),
			},
			component.Condition{Status: isFalse, Reason: "Scaling", Message: "c"},
		},
		"the first of equals governs": {
			[]string{"b", "a"},
			[]metav1.Condition{condition("a", isFalse, component.Down, "first"), condition("b", isFalse, component.Down, "second")},
			component.Condition{Status: isFalse, Reason: "Down", Message: "b: second"},
		},
		"what was never reconciled is not true": {
			[]string{"a", "b"},
			[]metav1.Condition{condition("a", isTrue, component.Healthy, "fine")},
			component.Condition{Status: isFalse, Reason: "Unknown", Message: "b: Component has not been reconciled yet."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			owner := &App{ObjectMeta: metav1.ObjectMeta{Generation: 2}, Status: AppStatus{Conditions: test.conditions}}
			var parts []*component.Component
			for _, name := range test.parts {
				part, err := component.NewComponentBuilder().WithName(name).WithConditionType(component.ConditionType(name)).Build()
				require.NoError(t, err)
				parts = append(parts, part)
			}
			test.want.Type, test.want.ObservedGeneration = "All", 2
			before := owner.DeepCopyObject()
			assert.Equal(t, test.want, component.Aggregate("All", owner, parts...))
			assert.Equal(t, before, owner)
		})
	}
}
