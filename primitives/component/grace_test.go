package component_test

import (
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

func TestGraceRemainingIsJustAfterTheEnd(t *testing.T) {
	part := partOf(t, time.Minute)
	owner := ownerWas(component.AliveCreating, 10*time.Second)
	began := owner.Status.Conditions[0].LastTransitionTime.Time

	remaining, ok := part.GraceRemaining(owner)

	require.True(t, ok)
	end := time.Now().Add(remaining)
	assert.True(t, end.After(began.Add(time.Minute)), "strictly after the end")
	assert.True(t, end.Before(began.Add(time.Minute+1100*time.Millisecond)), "at most a second late")
	assert.True(t, end.After(began.Truncate(time.Second).Add(time.Minute)), "also for the time that the API server keeps")
}

func TestGraceRemainingOfWhatIsNotGraded(t *testing.T) {
	for name, test := range map[string]struct {
		part  *component.Component
		owner *App
	}{
		"no period":     {partOf(t, 0), ownerWas(component.AliveCreating, time.Second)},
		"no condition":  {partOf(t, time.Minute), &App{}},
		"over":          {partOf(t, time.Minute), ownerWas(component.AliveCreating, time.Hour)},
		"healthy":       {partOf(t, time.Minute), ownerWas(component.Healthy, time.Second)},
		"down":          {partOf(t, time.Minute), ownerWas(component.Down, time.Second)},
		"error":         {partOf(t, time.Minute), ownerWas(component.Error, time.Second)},
		"prerequisites": {partOf(t, time.Minute), ownerWas(component.PrerequisiteNotMet, time.Second)},
		"suspended": {buildPart(t, func(b *component.Builder) { b.WithGracePeriod(time.Minute).Suspend(true) }),
			ownerWas(component.AliveCreating, time.Second)},
	} {
		_, ok := test.part.GraceRemaining(test.owner)
		assert.False(t, ok, name)
	}
	for _, reason := range []component.Status{
		component.AliveCreating, component.AliveUpdating, component.AliveScaling, component.AliveFailing,
		component.OperationPending, component.OperationFailing, component.CompletionPending, component.CompletionRunning,
		component.CompletionFailing, component.GuardBlocked,
	} {
		_, ok := partOf(t, time.Minute).GraceRemaining(ownerWas(reason, time.Second))
		assert.True(t, ok, reason)
	}
}

func TestEarliestGraceRemaining(t *testing.T) {
	owner := ownerWas(component.AliveCreating, time.Second)
	remaining, ok := component.EarliestGraceRemaining(owner, partOf(t, 0), partOf(t, time.Hour), partOf(t, time.Minute))
	require.True(t, ok)
	assert.Less(t, remaining, 2*time.Minute)
	_, ok = component.EarliestGraceRemaining(owner, partOf(t, 0))
	assert.False(t, ok)
}

func TestGraceInconsistencyIsLogged(t *testing.T) {
	inconsistent := gracefulAs("a", concepts.GraceStatusHealthy, "fine")
	for name, test := range map[string]struct {
		opts []component.ResourceOption
		want int
	}{
		"once a resource":       {nil, 1},
		"unless it is silenced": {[]component.ResourceOption{component.SuppressGraceInconsistencyWarning()}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			log := funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{})
			part := buildPart(t, func(b *component.Builder) {
				b.WithGracePeriod(time.Minute).WithResource(inconsistent, append(test.opts, component.Unowned())...)
			})
			owner := ownerWas(component.AliveCreating, time.Hour)
			rec := component.ReconcileContext{Client: offline{}, Owner: owner, Applier: pretended}
			require.NoError(t, part.Reconcile(logf.IntoContext(t.Context(), log), rec))
			require.Len(t, lines, test.want)
			for _, line := range lines {
				assert.Contains(t, line, "Grace inconsistency detected")
				assert.Contains(t, line, `"component"="part" "condition"="Ready"`)
				assert.Contains(t, line, inconsistent.Identity())
			}
			requireReady(t, owner, metav1.ConditionFalse, component.AliveCreating, "a is creating")
		})
	}
}
