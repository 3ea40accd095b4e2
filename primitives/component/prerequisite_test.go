package component_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/component"
)

type prerequisite func() (component.PrerequisiteResult, error)

func (p prerequisite) Check(component.ReconcileContext) (component.PrerequisiteResult, error) {
	return p()
}

func verdict(status component.PrerequisiteStatus, reason string, calls *int) prerequisite {
	return func() (component.PrerequisiteResult, error) {
		*calls++
		return component.PrerequisiteResult{Status: status, Reason: reason}, nil
	}
}

func TestFirstPrerequisiteThatIsNotMetHoldsUpTheComponent(t *testing.T) {
	w := newWorld(t)
	var first, second, third int
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(w.stub("one")).Suspend(true).WithPrerequisite(nil).
			WithPrerequisite(verdict(component.PrerequisiteStatusMet, "", &first)).
			WithPrerequisite(verdict(component.PrerequisiteStatusNotMet, "no database", &second)).
			WithPrerequisite(verdict(component.PrerequisiteStatusNotMet, "no queue", &third))
	}))
	w.requireCondition(metav1.ConditionFalse, component.PrerequisiteNotMet, "no database")
	assert.Equal(t, []int{1, 1, 0}, []int{first, second, third})
	w.requireAbsent("one", &corev1.ConfigMap{})
}

func TestPrerequisitesAreNotAskedAgainOnceTheyWereMet(t *testing.T) {
	w := newWorld(t)
	var calls int
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(w.stub("one")).WithPrerequisite(verdict(component.PrerequisiteStatusMet, "", &calls))
	}))
	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(w.stub("one")).WithPrerequisite(verdict(component.PrerequisiteStatusNotMet, "gone", &calls))
	}))
	assert.Equal(t, 1, calls)
	w.requireCondition(metav1.ConditionTrue, component.Healthy, "Component is healthy.")
}

func TestPrerequisitesAreAskedWhileTheComponentHasNotStarted(t *testing.T) {
	for _, reason := range []component.Status{
		component.Unknown, component.PrerequisiteNotMet, component.Disabled, component.FeatureGateError,
	} {
		t.Run(string(reason), func(t *testing.T) {
			part := buildPart(t, func(b *component.Builder) {
				b.WithPrerequisite(prerequisite(func() (component.PrerequisiteResult, error) {
					return component.PrerequisiteResult{}, errors.New("asked")
				}))
			})
			owner := ownerWas(reason, 0)
			require.EqualError(t, reconcileOffline(t, part, owner), "asked")
			requireReady(t, owner, metav1.ConditionFalse, component.PrerequisiteNotMet, "asked")
		})
	}
}

func TestUnknownFindingIsAnError(t *testing.T) {
	var calls int
	part := buildPart(t, func(b *component.Builder) { b.WithPrerequisite(verdict("Perhaps", "", &calls)) })
	require.EqualError(t, reconcileOffline(t, part, &App{}), `prerequisite returned unrecognized status "Perhaps"`)
}

func TestDependsOn(t *testing.T) {
	owner := func(conditions ...metav1.Condition) component.ReconcileContext {
		return component.ReconcileContext{Owner: &App{
			ObjectMeta: metav1.ObjectMeta{Name: "shop"},
			Status:     AppStatus{Conditions: conditions},
		}}
	}
	for name, test := range map[string]struct {
		rec  component.ReconcileContext
		want component.PrerequisiteResult
	}{
		"absent": {owner(), component.PrerequisiteResult{
			Status: component.PrerequisiteStatusNotMet, Reason: `Condition "DatabaseReady" not found on App/shop`,
		}},
		"false": {
			owner(metav1.Condition{Type: "DatabaseReady", Status: metav1.ConditionFalse, Message: "starting"}),
			component.PrerequisiteResult{
				Status: component.PrerequisiteStatusNotMet,
				Reason: `Prerequisite not met: waiting for condition "DatabaseReady" to become True (currently False: starting)`,
			},
		},
		"true": {
			owner(metav1.Condition{Type: "DatabaseReady", Status: metav1.ConditionTrue}),
			component.PrerequisiteResult{Status: component.PrerequisiteStatusMet},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := component.DependsOn("DatabaseReady").Check(test.rec)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}
