package projector

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/definition"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/metrics"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// BenchmarkNoOpReconcile is a pass over 5,000 copies that are in step, from the claim to the status, without what it asks the
// API server for: the source.
func BenchmarkNoOpReconcile(b *testing.B) { benchmarkNoOp(b, "") }

// BenchmarkNoOpReconcileWithValues is the same for copies of which each has values of its own.
func BenchmarkNoOpReconcileWithValues(b *testing.B) {
	benchmarkNoOp(b, "", v1.OverlayField{Path: "data.team", Expression: "'team-' + target.labels['team']"})
}

// BenchmarkNoOpReconcileWithNames is the same for copies of which each has a name of its own.
func BenchmarkNoOpReconcileWithNames(b *testing.B) {
	benchmarkNoOp(b, "source.metadata.name + '-' + target.name + '-' + target.labels['team']")
}

// BenchmarkNoOpReconcileWithARollout is the same for copies that were changed in waves and had to be healthy.
func BenchmarkNoOpReconcileWithARollout(b *testing.B) {
	step := newSettled(b, 5000, "")
	step.rule.Spec.Rollout = &v1.Rollout{Waves: make([]v1.Wave, 9), Until: v1.RolloutUntilHealthy}
	step.rule.Status.Rollout = &v1.RolloutStatus{Introduced: true}
	step.adapter.Rollout = RolloutAdapter[*v1.ClusterProjection]{
		WaveOf: func(context.Context, *v1.ClusterProjection) func(string) int { return func(string) int { return 0 } },
		Status: func(rule *v1.ClusterProjection) **v1.RolloutStatus { return &rule.Status.Rollout },
	}
	step.kind = source.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}}
	step.measure(b, 5000)
}

func benchmarkNoOp(b *testing.B, nameExpression string, fields ...v1.OverlayField) {
	b.Helper()
	const targets = 5000
	newSettled(b, targets, nameExpression, fields...).measure(b, targets)
}

// measure reconciles the rule again and again.
func (s *settled) measure(b *testing.B, targets int) {
	b.Helper()
	step := s
	first := step.project(b)
	first.setConditions(first.conditions(nil)) // into the rule, as if it had been written
	b.ReportAllocs()
	for b.Loop() {
		p := step.project(b)
		if _, err := p.finish(b.Context(), nil); err != nil || p.local.didSomething() || len(p.local.outcomes) != targets {
			b.Fatalf("the pass was to find everything in step: %v", err)
		}
	}
}

// settled is a rule whose copies are in step.
type settled struct {
	*Projector[*v1.ClusterProjection]
	rule   *v1.ClusterProjection
	source *unstructured.Unstructured
	// kind is what the copies are taken for in a rollout; zero: what they are.
	kind source.Kind
}

func newSettled(b *testing.B, targets int, nameExpression string, fields ...v1.OverlayField) *settled {
	b.Helper()
	rule := newRule()
	rule.Spec.Overlay.Fields, rule.Spec.Destination.NameExpression = fields, nameExpression
	rule.Finalizers = []string{owner.ClusterProjection.Finalizer}
	rule.Annotations = map[string]string{v1.AnnotationWrittenKinds: "ConfigMap"}
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"color": "red"}}}
	object.SetNamespace(rule.Spec.Source.Namespace)
	object.SetName(rule.Spec.Source.Name)
	renderer, err := destination.Render(object, owner.IdentityOf(owner.ClusterProjection, rule), specOf(rule), "v1.36.0")
	require.NoError(b, err)

	naming, err := destination.Rendering{}.NamingOf("", specOf(rule))
	require.NoError(b, err)
	places := make([]plan.Target, targets)
	copies := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "100"}}
	for i := range places {
		places[i] = plan.Target{Namespace: fmt.Sprintf("namespace-%04d", i), Version: strconv.Itoa(i + 1), Labels: map[string]string{"team": "a"}}
		places[i].Name, err = naming.Of(object).In(places[i].Place())
		require.NoError(b, err)
		desired, err := renderer.Copy(places[i].Place())
		require.NoError(b, err)
		copies.Items = append(copies.Items, copyOf(rule, desired))
	}
	projector := newBenchProjector(b, places, copies)
	caches, err := projector.member.Inventory.Watch(b.Context(), projector.newScope(rule, newRun()).key, schema.GroupVersionResource{Version: "v1", Resource: "configmaps"})
	require.NoError(b, err)
	rule.Status.AppliedFields = destination.FieldSets{caches[0].ByOwner(types.NamespacedName{Name: rule.Name})[0].Fields}.Format(128)
	return &settled{Projector: projector, rule: rule, source: object}
}

func newBenchProjector(b *testing.B, places []plan.Target, copies *metav1.PartialObjectMetadataList) *Projector[*v1.ClusterProjection] {
	b.Helper()
	measured, err := metrics.New(prometheus.NewRegistry())
	require.NoError(b, err)
	adapter := Adapter[*v1.ClusterProjection]{
		Kind:     owner.ClusterProjection,
		Spec:     specOf,
		Targets:  func(context.Context, *v1.ClusterProjection) ([]plan.Target, error) { return places, nil },
		Status:   func(rule *v1.ClusterProjection) any { return rule.Status },
		Report:   func(*v1.ClusterProjection, []destination.Outcome, int, func(string) bool) {},
		Failures: func(rule *v1.ClusterProjection) []v1.NamespaceFailure { return rule.Status.Failures },
	}
	objects := watch.NewObjects(b.Context(), listing{})
	var projector *Projector[*v1.ClusterProjection]
	enqueue := func(rule watch.RuleKey, trigger watch.Trigger, noticed time.Time) {
		projector.Enqueue(rule, trigger, noticed)
	}
	schema := definition.New(nil, v1.KindClusterProjection, &v1.ClusterProjection{}, time.Second)
	projector = New(adapter, Hub{Recorder: &recorder{}, Schema: schema, Metrics: measured}, Member{
		SourceCluster: SourceCluster{Objects: objects, Sources: watch.NewSources(objects, enqueue), Reads: newLanes[Fetched]()},
		Blockers:      watch.NewBlockers(objects, enqueue),
		Inventory:     destination.NewInventory(b.Context(), owner.ClusterProjection, listing{copies: copies}, enqueue),
		Writes:        newLanes[destination.Outcome](),

		ServerVersion: func() string { return "v1.36.0" },
	}, Config{ReadConcurrency: 16})
	return projector
}

// project is what a pass does, but for reading the rule and the source.
func (s *settled) project(b *testing.B) *scope[*v1.ClusterProjection] {
	b.Helper()
	p := s.newScope(s.rule, newRun())
	p.kind, p.named().source = source.Kind{GroupVersionKind: s.source.GroupVersionKind(), Resource: "configmaps"}, s.source
	p.named().kind = p.kind
	p.copyKind = p.kind
	for _, step := range []func(context.Context) error{p.claim, p.local.loadInventory, p.plan, p.local.apply, p.local.prune, s.roll(p), p.finishPrune} {
		require.NoError(b, step(b.Context()))
	}
	return p
}

// roll is that step, in which copies may have to be healthy.
func (s *settled) roll(p *scope[*v1.ClusterProjection]) func(context.Context) error {
	return func(ctx context.Context) error {
		if s.kind != (source.Kind{}) {
			p.copyKind = s.kind
		}
		defer func() { p.copyKind = p.kind }()
		return p.local.roll(ctx)
	}
}

// copyOf returns the metadata of a copy as the API server has it.
func copyOf(rule *v1.ClusterProjection, desired destination.DesiredCopy) metav1.PartialObjectMetadata {
	id := owner.IdentityOf(owner.ClusterProjection, rule)
	at := desired.At
	return metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: at.Namespace, Name: at.Name, UID: types.UID("uid-of-" + at.Namespace), ResourceVersion: "99",
		Labels:      map[string]string{owner.ClusterProjection.Label: string(rule.UID)},
		Annotations: map[string]string{owner.ClusterProjection.Annotation: id.Ref(), v1.AnnotationContentHash: desired.Hash},
		ManagedFields: []metav1.ManagedFieldsEntry{{
			Manager: id.FieldManager(), Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1",
			FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:color":{}}}`),
		}},
	}}
}

// listing is an API server that has copies and hears of no change. Whatever else it is asked for is a panic.
type listing struct {
	metadata.Interface
	metadata.Getter
	copies *metav1.PartialObjectMetadataList
}

func (l listing) Resource(schema.GroupVersionResource) metadata.Getter { return l }

func (l listing) List(context.Context, metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	return l.copies, nil
}

func (l listing) Watch(_ context.Context, options metav1.ListOptions) (apiwatch.Interface, error) {
	if options.SendInitialEvents != nil {
		return nil, apierrors.NewInvalid(schema.GroupKind{Kind: "ListOptions"}, "", nil) // then it is listed
	}
	return apiwatch.NewFake(), nil
}
