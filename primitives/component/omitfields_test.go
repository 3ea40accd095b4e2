package component_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

type object = map[string]any

func TestFieldThatTheSchemaDoesNotKnow(t *testing.T) {
	w := newWorld(t)
	wide := &stub{object: &unstructured.Unstructured{Object: object{
		"apiVersion": "kit.example.com/v1", "kind": "App",
		"metadata": object{"name": "wide", "namespace": w.namespace},
		"spec":     object{"note": "known", "unknown": object{"field": "value"}},
	}}}
	err := w.reconcile(func(b *component.Builder) { b.WithResource(wide) })
	require.ErrorContains(t, err, "field not declared in schema")
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(wide, component.OmitFields("spec.unknown")) }))
	assert.Equal(t, "known", w.get("wide", &App{}).(*App).Spec.Note)
}

func TestOmittedFields(t *testing.T) {
	content := func() object {
		return object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "one", "namespace": "ns"}, "a": object{
			"b": "text", "list": []any{object{"x": "1", "y": object{"z": "2"}}, "text", object{"y": object{"z": "3"}}},
		}}
	}
	for path, want := range map[string]object{
		"a":                nil,
		"a.b":              {"list": content()["a"].(object)["list"]},
		"a.list":           {"b": "text"},
		"a.list[*].x":      {"b": "text", "list": []any{object{"y": object{"z": "2"}}, "text", object{"y": object{"z": "3"}}}},
		"a.list[*].y.z":    {"b": "text", "list": []any{object{"x": "1", "y": object{}}, "text", object{"y": object{}}}},
		"a.b.c":            content()["a"].(object),
		"a.absent.c":       content()["a"].(object),
		"a.list.x":         content()["a"].(object),
		"a.b[*].c":         content()["a"].(object),
		"absent[*].absent": content()["a"].(object),
	} {
		t.Run(path, func(t *testing.T) {
			resource := &stub{object: &unstructured.Unstructured{Object: content()}}
			var sent object
			applier := component.ApplierFunc(func(_ context.Context, req component.ApplyRequest) (concepts.ConvergingOperation, error) {
				var err error
				sent, err = req.Content()
				require.NoError(t, err)
				return concepts.ConvergingOperationNone, nil
			})
			part := buildPart(t, func(b *component.Builder) {
				b.WithResource(resource, component.Unowned(), component.OmitFields("nothing", path))
			})
			rec := component.ReconcileContext{Client: offline{}, Owner: ownerWas(component.Healthy, 0), Applier: applier}
			require.NoError(t, part.Reconcile(t.Context(), rec))
			if want == nil {
				assert.NotContains(t, sent, "a")
			} else {
				assert.Equal(t, want, sent["a"])
			}
			assert.Equal(t, content(), resource.applied.(*unstructured.Unstructured).Object, "the object stays as it is")
		})
	}
}

func TestPathsThatAreNone(t *testing.T) {
	for _, path := range []string{"", ".", "a.", "a..b", "[*]", "[*].a", "a[*]", "a[0].b", "a[*]b", "a*"} {
		_, err := component.NewComponentBuilder().WithName("part").WithConditionType(ready).
			WithResource(newStub("ns", "one"), component.OmitFields("spec", path)).Build()
		require.EqualError(t, err, `resource "v1/ConfigMap/ns/one" in component "part": resource option OmitFields: "`+path+
			`" is not a path such as spec.items[*].status`)
	}
}

func TestForcedApplierReadsWithTheReader(t *testing.T) {
	w := newWorld(t)
	reads := w.client
	w.intercept(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return errBoom
		},
	})
	one := func(b *component.Builder) { b.WithResource(w.stub("one", "key", "value")) }
	_, err := w.reconcileWith(component.NewForcedApplier(w.client, nil), one)
	require.ErrorIs(t, err, errBoom)
	for _, want := range []concepts.ConvergingOperation{concepts.ConvergingOperationCreated, concepts.ConvergingOperationNone} {
		result, err := w.reconcileWith(component.NewForcedApplier(w.client, reads), one)
		require.NoError(t, err)
		assert.Equal(t, want, result.Resources[0].Operation)
	}
}
