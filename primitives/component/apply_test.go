package component_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/unstructured/static"
)

func TestApplyCreatesAndOwnsTheObject(t *testing.T) {
	w := newWorld(t)

	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one", "key", "value")) }))

	w.requireCondition(metav1.ConditionTrue, component.Healthy, "Component is healthy.")
	created := w.configMap("one")
	assert.Equal(t, map[string]string{"key": "value"}, created.Data)
	controller := metav1.GetControllerOf(created)
	require.NotNil(t, controller)
	assert.Equal(t, w.owner.UID, controller.UID)
	assert.Equal(t, "App", controller.Kind)
	assert.Equal(t, []string{"Normal CreatedConfigMap Created ConfigMap 'one'"}, w.recorded())
}

func TestOperationSaysWhatTheApplyDid(t *testing.T) {
	objects := map[string]func(w *world, value string) component.Resource{
		"typed":          func(w *world, value string) component.Resource { return w.stub("one", "key", value) },
		"typed workload": func(w *world, value string) component.Resource { return w.deployment("one", value) },
		"unstructured": func(w *world, value string) component.Resource {
			resource, err := static.NewBuilder(&unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": "Secret",
				"metadata":   map[string]any{"name": "one", "namespace": w.namespace},
				"stringData": map[string]any{"key": value},
			}}).Build()
			require.NoError(t, err)
			return resource
		},
	}
	for name, object := range objects {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for _, step := range []struct {
				value string
				want  concepts.ConvergingOperation
			}{
				{"a", concepts.ConvergingOperationCreated},
				{"a", concepts.ConvergingOperationNone},
				{"b", concepts.ConvergingOperationUpdated},
				{"b", concepts.ConvergingOperationNone},
			} {
				part := w.build(func(b *component.Builder) { b.WithResource(object(w, step.value)) })
				result, err := part.Converge(t.Context(), w.context())
				require.NoError(t, err)
				require.Len(t, result.Resources, 1)
				assert.Equal(t, step.want, result.Resources[0].Operation)
			}
			assert.Len(t, w.recorded(), 2, "an event for each change and none else")
		})
	}
}

func TestApplyTakesFieldsBackAndLeavesOthersAlone(t *testing.T) {
	w := newWorld(t)
	mine := func(b *component.Builder) { b.WithResource(w.stub("one", "mine", "wanted")) }
	require.NoError(t, w.reconcile(mine))
	w.applyAs("other", "one", map[string]string{"mine": "stolen", "theirs": "kept"})

	require.NoError(t, w.reconcile(mine))

	assert.Equal(t, map[string]string{"mine": "wanted", "theirs": "kept"}, w.configMap("one").Data)
}

func TestFieldManager(t *testing.T) {
	for name, test := range map[string]struct {
		configure func(*component.Builder)
		want      func(owner *App) string
	}{
		"by default the kind, the component and the uid of the owner": {
			want: func(owner *App) string { return "App/part/" + string(owner.UID) },
		},
		"as given": {
			configure: func(b *component.Builder) { b.WithFieldManager("me") },
			want:      func(*App) string { return "me" },
		},
		"as given up to 128 characters": {
			configure: func(b *component.Builder) { b.WithFieldManager(strings.Repeat("x", 128)) },
			want:      func(*App) string { return strings.Repeat("x", 128) },
		},
		"hashed above 128 characters": {
			configure: func(b *component.Builder) { b.WithFieldManager(strings.Repeat("x", 129)) },
			// printf 'x%.0s' {1..129} | sha256sum
			want: func(*App) string { return "0ec9eb33e74510bcdd1f2ea55206e82f21649c5c2becbf2b433eb475b34c01bd" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			require.NoError(t, w.reconcile(func(b *component.Builder) {
				b.WithResource(w.stub("one", "key", "value"))
				if test.configure != nil {
					test.configure(b)
				}
			}))
			managers := []string{}
			for _, entry := range w.configMap("one").ManagedFields {
				assert.Equal(t, metav1.ManagedFieldsOperationApply, entry.Operation)
				managers = append(managers, entry.Manager)
			}
			assert.Equal(t, []string{test.want(w.owner)}, managers)
		})
	}
}

func TestResourceSeesTheAnswerOfTheServer(t *testing.T) {
	w := newWorld(t)
	resource := w.stub("one", "key", "value")
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(resource) }))
	assert.Equal(t, w.configMap("one").UID, resource.applied.GetUID())
}

func TestServerFieldsAreNotSent(t *testing.T) {
	w := newWorld(t)
	resource := w.stub("one", "key", "value")
	now := metav1.Now()
	resource.object.SetResourceVersion("1")
	resource.object.SetUID("stale")
	resource.object.SetGeneration(7)
	resource.object.SetDeletionTimestamp(&now)
	resource.object.SetDeletionGracePeriodSeconds(new(int64))
	resource.object.SetSelfLink("link")
	resource.object.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "someone"}})
	var sent client.Object
	applier := component.ApplierFunc(func(_ context.Context, req component.ApplyRequest) (concepts.ConvergingOperation, error) {
		sent = req.Desired
		return concepts.ConvergingOperationNone, nil
	})
	_, err := w.reconcileWith(applier, func(b *component.Builder) { b.WithResource(resource, component.Unowned()) })
	require.NoError(t, err)
	assert.Equal(t, &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: w.meta("one"),
		Data:       map[string]string{"key": "value"},
	}, sent)
}

func TestWhatOthersCountIsNoUpdate(t *testing.T) {
	w := newWorld(t)
	configure := func(b *component.Builder) { b.WithResource(w.deployment("one", "image")) }
	require.NoError(t, w.reconcile(configure))
	w.intercept(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
			err := c.Get(ctx, key, object, opts...)
			stale := object.(*appsv1.Deployment)
			stale.Status.Replicas = 5
			stale.Generation, stale.ResourceVersion, stale.ManagedFields = 0, "1", nil
			return err
		},
	})
	result, err := w.build(configure).Converge(t.Context(), w.context())
	require.NoError(t, err)
	assert.Equal(t, concepts.ConvergingOperationNone, result.Resources[0].Operation)
}

func TestErrorsOfApplying(t *testing.T) {
	boom := errors.New("boom")
	for name, test := range map[string]struct {
		resource func(*stub)
		client   interceptor.Funcs
		want     string
	}{
		"object":  {resource: func(s *stub) { s.objectErr = boom }, want: "failed to retrieve object for resource <id>: boom"},
		"mutate":  {resource: func(s *stub) { s.mutate = func(client.Object) error { return boom } }, want: "failed to mutate resource <id>: boom"},
		"kind":    {resource: func(s *stub) { s.object = &unregistered{} }, want: "failed to determine GVK for resource <id>: no GVK registered in scheme for type *component_test.unregistered"},
		"foreign": {resource: func(s *stub) { s.object.SetNamespace("default") }, want: "failed to set owner reference for resource <id>: cross-namespace owner references are disallowed"},
		"read": {client: interceptor.Funcs{Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return boom
		}},
			want: "failed to check existence of resource <id>: boom"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.intercept(test.client)
			resource := w.stub("one", "key", "value")
			if test.resource != nil {
				test.resource(resource)
			}
			err := w.reconcile(func(b *component.Builder) { b.WithResource(resource) })
			require.ErrorContains(t, err, strings.ReplaceAll(test.want, "<id>", resource.Identity()))
			w.requireCondition(metav1.ConditionFalse, component.Error, err.Error())
		})
	}
}

// unregistered is an object whose type is in no scheme.
type unregistered struct{ corev1.ConfigMap }

func (u *unregistered) DeepCopyObject() runtime.Object {
	return &unregistered{ConfigMap: *u.ConfigMap.DeepCopy()}
}

func TestARefusedApplyIsAnError(t *testing.T) {
	w := newWorld(t)
	resource := w.stub("Not A Name", "key", "value")
	err := w.reconcile(func(b *component.Builder) { b.WithResource(resource) })
	require.ErrorContains(t, err, "failed to apply resource "+resource.Identity()+": ")
	assert.Equal(t, string(component.Error), w.condition().Reason)
}

func TestAMissingRESTMapperIsAnError(t *testing.T) {
	w := newWorld(t)
	rec := w.context()
	rec.Client = mapperless{w.client}
	err := w.build(nil).Reconcile(t.Context(), rec)
	require.EqualError(t, err, "ReconcileContext.Client.RESTMapper() returned nil; a valid RESTMapper is required for reconciliation")
	w.requireCondition(metav1.ConditionFalse, component.Error, err.Error())
}

func (w *world) deployment(name, image string) *stub {
	labels := map[string]string{"app": name}
	return &stub{object: &appsv1.Deployment{ObjectMeta: w.meta(name), Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}}},
		},
	}}}
}
