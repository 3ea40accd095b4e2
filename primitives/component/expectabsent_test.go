package component_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

// A custom resource, too, is created and not overwritten.
func TestExpectedAbsence(t *testing.T) {
	for name, desired := range map[string]func(w *world) client.Object{
		"a ConfigMap": func(w *world) client.Object { return w.stub("one", "key", "ours").object },
		"a custom resource": func(w *world) client.Object {
			app := &unstructured.Unstructured{}
			app.SetAPIVersion("kit.example.com/v1")
			app.SetKind("App")
			app.SetNamespace(w.namespace)
			app.SetName("one")
			return app
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			resource := &stub{object: desired(w)}
			absent := func(b *component.Builder) { b.WithResource(resource, component.ExpectAbsent()) }

			require.NoError(t, w.reconcile(absent))
			created := w.get("one", desired(w))
			fields := created.GetManagedFields()
			require.Len(t, fields, 1)
			assert.Equal(t, metav1.ManagedFieldsOperationApply, fields[0].Operation, "later applies can remove fields")
			assert.Len(t, w.recorded(), 1)

			err := w.reconcile(absent)
			require.ErrorContains(t, err, replaceID("resource <id> was created by somebody else since it was looked for: ", resource))
			assert.True(t, apierrors.IsConflict(err))
			assert.Equal(t, created.GetResourceVersion(), w.get("one", desired(w)).GetResourceVersion())
			assert.Empty(t, w.recorded())

			require.NoError(t, w.reconcile(func(b *component.Builder) {
				b.WithResource(resource, component.ExpectUID(created.GetUID()))
			}), "and once it is found")
		})
	}
}

// Somebody creates the object between the look and the apply.
func TestObjectThatAppearsIsNotOverwritten(t *testing.T) {
	w := newWorld(t)
	w.applyAs("someone", "one", map[string]string{"key": "theirs"})
	resource := w.stub("one", "key", "ours")
	absent, recreate := component.ExpectAbsent(), component.RecreateOnImmutable() // the latter does not matter

	err := w.reconcile(func(b *component.Builder) { b.WithResource(resource, absent, recreate) })
	require.ErrorContains(t, err, "was created by somebody else since it was looked for: ")
	assert.Equal(t, "theirs", w.configMap("one").Data["key"])
	assert.Empty(t, w.configMap("one").OwnerReferences)
	w.requireCondition(metav1.ConditionFalse, component.Error, err.Error())

	asleep := resource.suspendsAs(concepts.SuspensionStatusSuspended, "")
	err = w.reconcile(func(b *component.Builder) { b.Suspend(true).WithResource(asleep, absent) })
	require.ErrorContains(t, err, "was created by somebody else since it was looked for: ")
	assert.Equal(t, "theirs", w.configMap("one").Data["key"])
}
