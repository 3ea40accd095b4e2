package component_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

type operational struct {
	*stub
	status concepts.OperationalStatusWithReason
}

func (o operational) ConvergingStatus(concepts.ConvergingOperation) (concepts.OperationalStatusWithReason, error) {
	return o.status, nil
}

type completable struct {
	*stub
	status concepts.CompletionStatusWithReason
}

func (c completable) ConvergingStatus(concepts.ConvergingOperation) (concepts.CompletionStatusWithReason, error) {
	return c.status, nil
}

type graceful struct {
	*alive
	grace concepts.GraceStatusWithReason
	err   error
}

func (g graceful) GraceStatus() (concepts.GraceStatusWithReason, error) { return g.grace, g.err }

func aliveAs(name string, status concepts.AliveConvergingStatus, reason string) *alive {
	return newStub("ns", name).is(status, reason)
}

func operationalAs(name string, status concepts.OperationalStatus, reason string) operational {
	return operational{newStub("ns", name), concepts.OperationalStatusWithReason{Status: status, Reason: reason}}
}

func completableAs(name string, status concepts.CompletionStatus, reason string) completable {
	return completable{newStub("ns", name), concepts.CompletionStatusWithReason{Status: status, Reason: reason}}
}

// gracefulAs returns a workload that is creating and has an opinion about that.
func gracefulAs(name string, status concepts.GraceStatus, reason string) graceful {
	return graceful{
		alive: aliveAs(name, concepts.AliveConvergingStatusCreating, name+" is creating"),
		grace: concepts.GraceStatusWithReason{Status: status, Reason: reason},
	}
}

// convergedBut returns a workload that is healthy and whose grace handler says otherwise.
func convergedBut(status concepts.GraceStatus, err error) graceful {
	return graceful{
		alive: aliveAs("converged", concepts.AliveConvergingStatusHealthy, "up"),
		grace: concepts.GraceStatusWithReason{Status: status, Reason: "too strict"},
		err:   err,
	}
}

func partOf(t testing.TB, grace time.Duration, resources ...component.Resource) *component.Component {
	t.Helper()
	return buildPart(t, func(b *component.Builder) {
		b.WithGracePeriod(grace)
		for _, resource := range resources {
			b.WithResource(resource, component.Unowned())
		}
	})
}

func TestFirstConditionSumsUpTheResources(t *testing.T) {
	for name, test := range map[string]struct {
		resources []component.Resource
		status    metav1.ConditionStatus
		reason    component.Status
		message   string
	}{
		"nothing":     {status: metav1.ConditionTrue, reason: component.Healthy, message: "Component is healthy."},
		"only static": {[]component.Resource{newStub("ns", "a")}, metav1.ConditionTrue, component.Healthy, "Component is healthy."},
		"all healthy": {[]component.Resource{
			aliveAs("a", concepts.AliveConvergingStatusHealthy, "up"),
			operationalAs("b", concepts.OperationalStatusOperational, "up"),
			completableAs("c", concepts.CompletionStatusCompleted, "done"),
		}, metav1.ConditionTrue, component.Healthy, "Component is healthy."},
		"the most important wins": {[]component.Resource{
			aliveAs("a", concepts.AliveConvergingStatusHealthy, "up"),
			aliveAs("b", concepts.AliveConvergingStatusUpdating, "rolling"),
			completableAs("c", concepts.CompletionStatusFailing, "exit 1"),
		}, metav1.ConditionFalse, component.CompletionFailing, "exit 1"},
		"equally severe reasons are joined": {[]component.Resource{
			operationalAs("a", concepts.OperationalStatusPending, "no address"),
			aliveAs("b", concepts.AliveConvergingStatusCreating, "starting"),
			aliveAs("c", concepts.AliveConvergingStatusCreating, ""),
			completableAs("d", concepts.CompletionStatusPending, "queued"),
		}, metav1.ConditionFalse, component.AliveCreating, "no address; starting; queued"},
		"less severe reasons are not": {[]component.Resource{
			aliveAs("a", concepts.AliveConvergingStatusScaling, "1 of 3"),
			newStub("ns", "b").blocked("waiting"),
		}, metav1.ConditionFalse, component.GuardBlocked, "waiting"},
		"an empty status is not healthy": {[]component.Resource{aliveAs("a", "", "?")}, metav1.ConditionFalse, component.Unknown, "?"},
		"a status of one's own is not healthy": {[]component.Resource{
			aliveAs("a", "Odd", "?"), aliveAs("b", concepts.AliveConvergingStatusHealthy, "up"),
		}, metav1.ConditionFalse, "Odd", "?"},
	} {
		t.Run(name, func(t *testing.T) {
			owner := &App{ObjectMeta: metav1.ObjectMeta{Name: "owner", Generation: 7}}
			require.NoError(t, reconcileOffline(t, partOf(t, 0, test.resources...), owner))
			requireReady(t, owner, test.status, test.reason, test.message)
		})
	}
}

func TestConditionFollowsThePreviousOne(t *testing.T) {
	for was, want := range map[component.Status]component.Status{
		component.Unknown:            component.AliveScaling,
		component.Healthy:            component.AliveScaling,
		component.Operational:        component.AliveScaling,
		component.Completed:          component.AliveScaling,
		component.Disabled:           component.AliveScaling,
		component.Suspended:          component.AliveScaling,
		component.Suspending:         component.AliveScaling,
		component.PendingSuspension:  component.AliveScaling,
		component.PrerequisiteNotMet: component.AliveScaling,
		component.FeatureGateError:   component.AliveScaling,
		component.AliveCreating:      component.AliveCreating,
		component.AliveUpdating:      component.AliveUpdating,
		component.AliveScaling:       component.AliveScaling,
		component.AliveFailing:       component.AliveScaling,
		component.OperationPending:   component.AliveScaling,
		component.GuardBlocked:       component.AliveScaling,
		component.Error:              component.AliveScaling,
		component.Down:               component.AliveScaling,
		component.Degraded:           component.AliveScaling,
	} {
		t.Run(string(was), func(t *testing.T) {
			owner := ownerWas(was, time.Hour)
			before := owner.Status.Conditions[0]
			part := partOf(t, 0, aliveAs("a", concepts.AliveConvergingStatusScaling, "1 of 3"))
			require.NoError(t, reconcileOffline(t, part, owner))
			requireReady(t, owner, metav1.ConditionFalse, want, "1 of 3")
			kept := before.LastTransitionTime.Equal(&owner.Status.Conditions[0].LastTransitionTime)
			assert.Equal(t, before.Status == metav1.ConditionFalse, kept, "the time changes with the status only")
		})
	}
}

func TestEndOfTheGracePeriod(t *testing.T) {
	creating := aliveAs("plain", concepts.AliveConvergingStatusCreating, "starting")
	failing := gracefulAs("broken", "", "")
	failing.err = errors.New("boom")
	for name, test := range map[string]struct {
		was       component.Status
		ago       time.Duration
		grace     time.Duration
		resources []component.Resource
		reason    component.Status
		message   string
	}{
		"not over": {component.AliveCreating, 30 * time.Second, time.Minute, []component.Resource{creating}, component.AliveCreating, "starting"},
		"never":    {component.AliveCreating, time.Hour, 0, []component.Resource{creating}, component.AliveCreating, "starting"},
		"without an opinion down": {
			component.AliveCreating, time.Hour, time.Minute,
			[]component.Resource{creating}, component.Down, "Component is down: Component failed to converge within grace period",
		},
		"degraded": {
			component.AliveCreating, time.Hour, time.Minute,
			[]component.Resource{gracefulAs("a", concepts.GraceStatusDegraded, "1 of 2"), gracefulAs("b", concepts.GraceStatusHealthy, "fine")},
			component.Degraded, "Component is degraded: 1 of 2",
		},
		"the worst wins, equals are joined": {
			component.AliveCreating, time.Hour, time.Minute,
			[]component.Resource{
				gracefulAs("a", concepts.GraceStatusDown, "0 of 2"),
				gracefulAs("b", concepts.GraceStatusDegraded, "1 of 2"),
				gracefulAs("c", concepts.GraceStatusDown, "0 of 9"),
			},
			component.Down, "Component is down: 0 of 2; 0 of 9",
		},
		"blocked is down": {
			component.GuardBlocked, time.Hour, time.Minute,
			[]component.Resource{gracefulAs("a", concepts.GraceStatusDegraded, "1 of 2"), newStub("ns", "b").blocked("no key")},
			component.Down, "Component is down: no key",
		},
		"who has converged is not asked": {
			component.AliveCreating, time.Hour, time.Minute,
			[]component.Resource{convergedBut(concepts.GraceStatusDown, nil), gracefulAs("b", concepts.GraceStatusDegraded, "1 of 2")},
			component.Degraded, "Component is degraded: 1 of 2",
		},
		"nor for an error": {
			component.AliveCreating, time.Hour, time.Minute,
			[]component.Resource{convergedBut("", errors.New("boom")), gracefulAs("b", concepts.GraceStatusDegraded, "1 of 2")},
			component.Degraded, "Component is degraded: 1 of 2",
		},
		"who has converged counts as healthy": {
			component.AliveCreating, time.Hour, time.Minute,
			[]component.Resource{convergedBut(concepts.GraceStatusDown, nil), creating}, component.AliveCreating, "starting",
		},
		"healthy stays": {
			component.AliveCreating, time.Hour, time.Minute,
			[]component.Resource{gracefulAs("a", concepts.GraceStatusHealthy, "fine")}, component.AliveCreating, "a is creating",
		},
		"judged again when down": {
			component.Down, time.Hour, time.Minute,
			[]component.Resource{gracefulAs("a", concepts.GraceStatusDegraded, "1 of 2")}, component.Degraded, "Component is degraded: 1 of 2",
		},
		"an error": {
			component.AliveCreating, time.Hour, time.Minute, []component.Resource{failing},
			component.Error, "failed to evaluate grace status for resource v1/ConfigMap/ns/broken: boom",
		},
		"a fresh start has the whole period": {
			component.Healthy, time.Hour, time.Minute, []component.Resource{creating}, component.AliveCreating, "starting",
		},
	} {
		t.Run(name, func(t *testing.T) {
			owner := ownerWas(test.was, test.ago)
			require.NoError(t, reconcileOffline(t, partOf(t, test.grace, test.resources...), owner))
			requireReady(t, owner, metav1.ConditionFalse, test.reason, test.message)
		})
	}
}

func TestDownComponentRecovers(t *testing.T) {
	owner := ownerWas(component.Down, time.Hour)
	part := partOf(t, time.Minute, aliveAs("a", concepts.AliveConvergingStatusHealthy, "up"))
	require.NoError(t, reconcileOffline(t, part, owner))
	requireReady(t, owner, metav1.ConditionTrue, component.Healthy, "Component is healthy.")
	assert.WithinDuration(t, time.Now(), owner.Status.Conditions[0].LastTransitionTime.Time, time.Minute)
}

func TestErrorGoesToTheCondition(t *testing.T) {
	owner := ownerWas(component.Healthy, time.Hour)
	part := partOf(t, 0)
	part.Stage(owner, component.Convergence{}, errors.New("boom"))
	requireReady(t, owner, metav1.ConditionFalse, component.Error, "boom")
}
