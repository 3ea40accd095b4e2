package component_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/feature"
)

// declaring is a resource that declares data.
type declaring struct {
	*stub
	reads  []concepts.DataConsumption
	writes []concepts.DataCell
}

func (d declaring) ProducedData() []concepts.DataCell { return d.writes }

func (d declaring) ConsumedData() []concepts.DataConsumption { return d.reads }

func (s *stub) writes(cells ...concepts.DataCell) declaring { return declaring{stub: s, writes: cells} }

func (s *stub) waitsFor(cells ...concepts.DataCell) declaring {
	return declaring{stub: s}.reading(false, cells)
}

func (d declaring) reading(optional bool, cells []concepts.DataCell) declaring {
	for _, cell := range cells {
		d.reads = append(d.reads, concepts.DataConsumption{Cell: cell, Optional: optional})
	}
	return d
}

func (s *stub) mayRead(cells ...concepts.DataCell) declaring {
	return declaring{stub: s}.reading(true, cells)
}

func TestDataHasToFlowForward(t *testing.T) {
	type option = component.ResourceOption
	a, otherA, b := concepts.NewData[string]("a"), concepts.NewData[string]("a"), concepts.NewData[int]("b")
	named := func(name string) *stub { return newStub("ns", name) }
	const id = "v1/ConfigMap/ns/"
	unproduced := func(name string) string {
		return `resource "` + id + name + `" reads data "a" but no earlier resource produces it`
	}
	distinct := func(name string) string {
		return `resource "` + id + name + `" in component "part" declares data "a", but a distinct cell already uses that name; ` +
			"data names must be unique within a component"
	}
	closed := component.GatedBy(feature.NewBooleanGate(false))
	for name, test := range map[string]struct {
		declare func(add func(component.Resource, ...option))
		want    string
	}{
		"forward": {declare: func(add func(component.Resource, ...option)) {
			add(named("one").writes(a, b))
			add(named("two").waitsFor(a))
			add(named("three").mayRead(b))
		}},
		"several producers": {declare: func(add func(component.Resource, ...option)) {
			add(named("one").writes(a))
			add(named("two").writes(a))
			add(named("three").waitsFor(a))
		}},
		"from one that is only read": {declare: func(add func(component.Resource, ...option)) {
			add(named("one").writes(a), component.ReadOnly())
			add(named("two").waitsFor(a))
		}},
		"from nobody": {func(add func(component.Resource, ...option)) {
			add(named("one").waitsFor(a))
			add(named("two").mayRead(a))
		}, unproduced("one") + "\n" + unproduced("two")},
		"backwards": {func(add func(component.Resource, ...option)) {
			add(named("one").waitsFor(a))
			add(named("two").writes(a))
		}, unproduced("one")},
		"to itself": {func(add func(component.Resource, ...option)) {
			self := named("one").waitsFor(a)
			self.writes = []concepts.DataCell{a}
			add(self)
		}, unproduced("one")},
		"from one behind a closed gate": {func(add func(component.Resource, ...option)) {
			add(named("one").writes(a), closed)
			add(named("two").waitsFor(a))
		}, unproduced("two")},
		"from one to be orphaned": {func(add func(component.Resource, ...option)) {
			add(named("one").writes(a), component.OrphanWhen(true))
			add(named("two").waitsFor(a))
		}, unproduced("two")},
		"to one to be deleted": {declare: func(add func(component.Resource, ...option)) { add(named("one").waitsFor(a), component.Delete()) }},
		"by another cell of that name": {func(add func(component.Resource, ...option)) {
			add(named("one").writes(a))
			add(named("two").waitsFor(otherA))
			add(named("three").writes(otherA))
		}, distinct("two") + "\n" + distinct("three")},
		"no cell": {func(add func(component.Resource, ...option)) {
			var typedNil *concepts.Data[string]
			add(named("one").writes(nil, typedNil))
			add(named("two").waitsFor(nil, typedNil))
		}, `resource "v1/ConfigMap/ns/one" in component "part" declares a nil data cell write` + "\n" +
			`resource "v1/ConfigMap/ns/one" in component "part" declares a nil data cell write` + "\n" +
			`resource "v1/ConfigMap/ns/two" in component "part" declares a nil data cell read` + "\n" +
			`resource "v1/ConfigMap/ns/two" in component "part" declares a nil data cell read`},
	} {
		t.Run(name, func(t *testing.T) {
			builder := component.NewComponentBuilder().WithName("part").WithConditionType(ready)
			test.declare(func(resource component.Resource, opts ...option) { builder.WithResource(resource, opts...) })
			_, err := builder.Build()
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.want)
		})
	}
}

func TestDataTopology(t *testing.T) {
	a, b, unused := concepts.NewData[string]("a"), concepts.NewData[int]("b"), concepts.NewData[int]("unused")
	both := newStub("ns", "three").waitsFor(b, a, a).reading(true, []concepts.DataCell{a})
	both.writes = []concepts.DataCell{unused}
	part := partOf(t, 0,
		newStub("ns", "one").writes(b),
		newStub("ns", "two").writes(a, b),
		newStub("ns", "plain"),
		both,
		newStub("ns", "four").mayRead(a),
	)
	const id = "v1/ConfigMap/ns/"
	want := []concepts.DataEdge{
		{Data: "b", Producers: []string{id + "one", id + "two"}, Guarded: []string{id + "three"}},
		{Data: "a", Producers: []string{id + "two"}, Guarded: []string{id + "three"}, Optional: []string{id + "three", id + "four"}},
		{Data: "unused", Producers: []string{id + "three"}},
	}
	assert.Equal(t, want, part.DataTopology())
	part.DataTopology()[0].Producers[0] = "changed"
	assert.Equal(t, want, part.DataTopology(), "a copy is returned")
	assert.Empty(t, partOf(t, 0).DataTopology())
}

func TestConvergeBeginsWithEmptyCells(t *testing.T) {
	for name, configure := range map[string]func(*component.Builder){
		"gate":         func(b *component.Builder) { b.WithFeatureGate(brokenGate{}) },
		"prerequisite": func(b *component.Builder) { b.WithPrerequisite(component.DependsOn("Other")) },
		"suspended":    func(b *component.Builder) { b.Suspend(true) },
		"blocked":      func(b *component.Builder) { b.WithResource(newStub("ns", "first").blocked("wait")) },
	} {
		t.Run(name, func(t *testing.T) {
			cell := concepts.NewData[string]("a")
			cell.Set("of an earlier reconcile")
			part := buildPart(t, func(b *component.Builder) {
				configure(b)
				b.WithResource(newStub("ns", "one").writes(cell), component.Unowned())
			})
			_, _ = part.Converge(t.Context(), component.ReconcileContext{Client: offline{}, Owner: &App{}, Applier: pretended})
			assert.False(t, cell.IsSet())
		})
	}
	t.Run("without a RESTMapper", func(t *testing.T) {
		cell := concepts.NewData[string]("a")
		cell.Set("of an earlier reconcile")
		part := partOf(t, 0, newStub("ns", "one").writes(cell))
		_, err := part.Converge(t.Context(), component.ReconcileContext{Client: mapperless{}, Owner: &App{}})
		require.Error(t, err)
		assert.False(t, cell.IsSet())
	})
}

// hashed returns a ConfigMap that hands on the hash of its content.
func (w *world) hashed(name string, cell *concepts.Data[string], data map[string]string) *configmap.Resource {
	w.Helper()
	builder := configmap.NewBuilder(&corev1.ConfigMap{ObjectMeta: w.meta(name), Data: data})
	configmap.ExtractInto(builder, cell, configmap.DataHash)
	resource, err := builder.Build()
	require.NoError(w, err)
	return resource
}

// noting returns a ConfigMap that waits for a value and notes it.
func (w *world) noting(name string, cell *concepts.Data[string]) *configmap.Resource {
	w.Helper()
	resource, err := configmap.NewBuilder(&corev1.ConfigMap{ObjectMeta: w.meta(name)}).
		WithDataGuard(cell).
		WithMutation(configmap.Mutation{Name: "note", Mutate: func(m *configmap.Mutator) error {
			value, err := cell.Require()
			m.SetEntry("noted", value)
			return err
		}}).Build()
	require.NoError(w, err)
	return resource
}

func TestDataFlowsBetweenResources(t *testing.T) {
	w := newWorld(t)
	hash := concepts.NewData[string]("hash")
	data := map[string]string{"theme": "dark"}
	want, err := configmap.DataHash(corev1.ConfigMap{Data: data})
	require.NoError(t, err)

	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.WithResource(w.hashed("one", hash, data)).WithResource(w.noting("two", hash))
	}))

	w.requireCondition(metav1.ConditionTrue, component.Healthy, "Component is healthy.")
	assert.Equal(t, map[string]string{"noted": want}, w.configMap("two").Data)
}

func TestMissingDataBlocks(t *testing.T) {
	w := newWorld(t)
	parts := func(b *component.Builder) {
		hash := concepts.NewData[string]("hash")
		b.WithResource(w.hashed("one", hash, nil), component.ReadOnly(), component.IgnoreIfAbsent()).
			WithResource(w.noting("two", hash)).
			WithResource(w.stub("three"))
	}
	require.NoError(t, w.reconcile(parts))
	w.requireCondition(metav1.ConditionFalse, component.GuardBlocked, `waiting for data "hash"`)
	w.requireAbsent("two", &corev1.ConfigMap{})
	w.requireAbsent("three", &corev1.ConfigMap{})

	w.applyAs("user", "one", map[string]string{"theme": "dark"})
	require.NoError(t, w.reconcile(parts))
	w.requireCondition(metav1.ConditionTrue, component.Healthy, "Component is healthy.")
	assert.Len(t, w.configMap("two").Data["noted"], 64)
	assert.NotNil(t, w.configMap("three"))
}

// TestDataOfASuspendedComponent shows that a suspension asks no guard, and extracts only from what it applies.
func TestDataOfASuspendedComponent(t *testing.T) {
	w := newWorld(t)
	hash, replicas := concepts.NewData[string]("hash"), concepts.NewData[int32]("replicas")
	web := deployment.NewBuilder(w.deployment("web", "image").object.(*appsv1.Deployment)).
		WithDataGuard(hash).
		WithMutation(deployment.Mutation{Name: "hash", Mutate: func(m *deployment.Mutator) error {
			value, known := hash.Get()
			assert.False(t, known, value)
			return nil
		}})
	deployment.ExtractInto(web, replicas, func(d appsv1.Deployment) (int32, error) { return *d.Spec.Replicas, nil })
	pods, err := web.Build()
	require.NoError(t, err)
	hash.Set("of an earlier reconcile")

	require.NoError(t, w.reconcile(func(b *component.Builder) {
		b.Suspend(true).WithResource(w.hashed("config", hash, nil)).WithResource(pods)
	}))

	w.requireAbsent("config", &corev1.ConfigMap{})
	value, err := replicas.Require()
	require.NoError(t, err)
	assert.Zero(t, value)
}

func TestFailedExtractionNamesTheCell(t *testing.T) {
	w := newWorld(t)
	builder := configmap.NewBuilder(&corev1.ConfigMap{ObjectMeta: w.meta("one")})
	configmap.ExtractInto(builder, concepts.NewData[string]("hash"), func(corev1.ConfigMap) (string, error) { return "", context.Canceled })
	resource, err := builder.Build()
	require.NoError(t, err)
	require.EqualError(t, w.reconcile(func(b *component.Builder) { b.WithResource(resource) }),
		replaceID(`failed to extract data from resource <id>: extract data "hash": context canceled`, resource))
}

func TestRequiredDataIsSetByHandForAPreview(t *testing.T) {
	w := &world{TB: t, namespace: "ns"}
	hash := concepts.NewData[string]("hash")
	part := buildPart(t, func(b *component.Builder) {
		b.WithResource(w.hashed("one", hash, nil)).WithResource(w.noting("two", hash))
	})
	_, err := part.Preview()
	require.ErrorIs(t, err, concepts.ErrDataNotExtracted)
	require.ErrorContains(t, err, `preview resource "v1/ConfigMap/ns/two": `)

	hash.Set("7f83b1")
	objects, err := part.Preview()
	require.NoError(t, err)
	assert.Equal(t, "7f83b1", objects[1].(*corev1.ConfigMap).Data["noted"])
}
