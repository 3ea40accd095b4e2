package projector

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/definition"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/metrics"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// now is when the clock of tests stands.
var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// fixture is a projector of ClusterProjections that reaches no API server.
type fixture struct {
	*Projector[*v1.ClusterProjection]
	registry *prometheus.Registry
	recorder *recorder
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{registry: prometheus.NewRegistry(), recorder: &recorder{}}
	measured, err := metrics.New(f.registry)
	require.NoError(t, err)
	objects := watch.NewObjects(t.Context(), nil)
	enqueue := func(watch.RuleKey, watch.Trigger, time.Time) {}
	f.Projector = New(Adapter[*v1.ClusterProjection]{
		Kind:     owner.ClusterProjection,
		New:      func() *v1.ClusterProjection { return &v1.ClusterProjection{} },
		NewList:  func() client.ObjectList { return &v1.ClusterProjectionList{} },
		Spec:     specOf,
		Targets:  func(context.Context, *v1.ClusterProjection) ([]plan.Target, error) { return nil, nil },
		Status:   func(rule *v1.ClusterProjection) any { return rule.Status },
		Report:   func(*v1.ClusterProjection, []destination.Outcome, int, func(string) bool) {},
		Failures: func(rule *v1.ClusterProjection) []v1.NamespaceFailure { return rule.Status.Failures },
	}, Hub{
		Recorder: f.recorder,
		Schema:   definition.New(nil, v1.KindClusterProjection, &v1.ClusterProjection{}, time.Second),
		Metrics:  measured,
	}, Member{
		SourceCluster: SourceCluster{Objects: objects, Sources: watch.NewSources(objects, enqueue), Reads: newLanes[Fetched]()},
		Blockers:      watch.NewBlockers(objects, enqueue),
		Inventory:     destination.NewInventory(t.Context(), owner.ClusterProjection, nil, enqueue),
		Writes:        newLanes[destination.Outcome](),
	}, Config{Requeue: 30 * time.Second, ReadConcurrency: 4, MaxSelectedContent: 16 << 20})
	f.clock = func() time.Time { return now }
	return f
}

func specOf(rule *v1.ClusterProjection) owner.Spec {
	return owner.Spec{
		Source: rule.GetSource(), Name: rule.GetDestinationName(), CopyKind: rule.GetCopyKind(), Content: rule.GetContent(), Overlay: rule.GetOverlay(),
		NameExpression: rule.GetNameExpression(),

		Policy:    rule.GetPolicy(),
		Suspended: rule.Spec.Suspend,
		Rollout:   rule.Spec.Rollout,
	}
}

// newLanes returns lanes that nothing goes through.
func newLanes[R any]() *lane.Lanes[R] {
	return lane.New[R](lane.Limits{PerLane: 4, PerRule: 4, Total: 16, Slow: time.Minute}, lane.ByNamespace, func(watch.RuleKey) {})
}

// newRun returns a run that has not to give way.
func newRun() *run {
	return &run{base: context.Background(), active: context.Background(), yield: func() {}, release: func() {}}
}

func newRule() *v1.ClusterProjection {
	return &v1.ClusterProjection{
		ObjectMeta: metav1.ObjectMeta{Name: "rule", UID: "u-1", Generation: 3},
		Spec:       v1.ClusterProjectionSpec{Source: v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Name: "settings"}},
	}
}

// scope begins a reconcile that has resolved the kind of the rule's source.
func (f *fixture) scope(rule *v1.ClusterProjection) *scope[*v1.ClusterProjection] {
	p := f.newScope(rule, newRun())
	p.kind = source.Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Resource: "configmaps"}
	p.named().kind = p.kind
	p.copyKind = p.kind
	return p
}

// takeTriggers returns why the rule was enqueued, and forgets it.
func (f *fixture) takeTriggers() (taken memory.Triggers) {
	f.memory.Do(ruleKey, func(r *memory.Rule) { taken = r.Triggers.Take() })
	return taken
}

// terminal ends a reconcile that only an event brings on.
func terminal(message string, requeueAfter time.Duration) error {
	return &plan.Error{
		Condition:    v1.ConditionSourceResolved,
		Problem:      policy.Problem{Reason: v1.ReasonSourceResolutionFailed, Message: message},
		RequeueAfter: requeueAfter,
	}
}

func in(namespace string) destination.Place {
	return destination.Place{NamespacedName: types.NamespacedName{Namespace: namespace, Name: "settings"}}
}

// fine is a copy in sync, after the action.
func fine(namespace string, action destination.Action) destination.Outcome {
	return destination.Outcome{Place: in(namespace), Action: action}
}

// wouldBe is a copy of a suspended rule that would be written.
func wouldBe(namespace string, action destination.Action) destination.Outcome {
	return destination.Outcome{Place: in(namespace), Held: action}
}

// failed is a copy that failed for the reason.
func failed(namespace, reason, message string) destination.Outcome {
	return destination.Outcome{Place: in(namespace), Reason: reason, Message: message}
}

// many returns as many copies as there are letters, made by the function.
func many(letters string, outcome func(namespace string) destination.Outcome) []destination.Outcome {
	outcomes := make([]destination.Outcome, 0, len(letters))
	for _, letter := range letters {
		outcomes = append(outcomes, outcome(string(letter)))
	}
	return outcomes
}

// recorder writes events down.
type recorder struct{ events []recorded }

type recorded struct{ kind, reason, action, note, related string }

func (r *recorder) Eventf(_, related runtime.Object, eventType, reason, action, note string, args ...any) {
	event := recorded{kind: eventType, reason: reason, action: action, note: fmt.Sprintf(note, args...)}
	if object, ok := related.(metav1.Object); ok {
		kind := related.GetObjectKind().GroupVersionKind().Kind
		event.related = strings.TrimSpace(kind + " " + object.GetNamespace() + "/" + object.GetName())
	}
	r.events = append(r.events, event)
}

func (r *recorder) take() []recorded {
	events := r.events
	r.events = nil
	return events
}
