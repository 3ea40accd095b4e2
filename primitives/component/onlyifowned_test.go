package component_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/feature"
)

// deletions are the ways by which a component deletes the ConfigMap "one".
func (w *world) deletions() map[string]func(b *component.Builder) {
	leaving := w.stub("one").suspendsAs(concepts.SuspensionStatusSuspended, "")
	leaving.deletes = true
	closed := feature.NewBooleanGate(false)
	return map[string]func(b *component.Builder){
		"an option": func(b *component.Builder) { b.WithResource(w.stub("one"), component.Delete(), component.OnlyIfOwned()) },
		"a gate": func(b *component.Builder) {
			b.WithResource(w.stub("one"), component.GatedBy(closed), component.OnlyIfOwned())
		},
		"a component": func(b *component.Builder) {
			b.WithFeatureGate(closed).WithResource(w.stub("one"), component.OnlyIfOwned())
		},
		"suspension": func(b *component.Builder) { b.Suspend(true).WithResource(leaving, component.OnlyIfOwned()) },
	}
}

func TestOnlyIfOwned(t *testing.T) {
	for name, test := range map[string]struct {
		create  func(w *world)
		deleted bool
	}{
		"of somebody else": {create: func(w *world) { w.applyAs("someone", "one", map[string]string{"key": "theirs"}) }},
		"of another component": {create: func(w *world) {
			w.applyAs("App/other/"+string(w.owner.UID), "one", map[string]string{"key": "theirs"})
		}},
		"with a managed field": {deleted: true, create: func(w *world) {
			require.NoError(w, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one", "key", "ours"), component.Unowned()) }))
		}},
		"with a reference": {deleted: true, create: func(w *world) {
			object := &corev1.ConfigMap{ObjectMeta: w.meta("one")}
			object.OwnerReferences = []metav1.OwnerReference{{APIVersion: "kit.example.com/v1", Kind: "App", Name: "owner", UID: w.owner.UID}}
			require.NoError(w, w.client.Create(w.Context(), object))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, by := range []string{"an option", "a gate", "a component", "suspension"} {
				t.Run(by, func(t *testing.T) {
					w := newWorld(t)
					test.create(w)
					before := w.configMap("one")
					w.recorded()
					require.NoError(t, w.reconcile(w.deletions()[by]))
					if test.deleted {
						w.requireAbsent("one", &corev1.ConfigMap{})
						return
					}
					assert.Equal(t, before, w.configMap("one"))
					assert.Empty(t, w.recorded())
					assert.Equal(t, metav1.ConditionTrue, w.condition().Status)
				})
			}
		})
	}
}
