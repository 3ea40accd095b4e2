package component_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/job"
)

// TestFinishedJobIsKept suspends two Jobs whose handler looks at the status, which only the live object has.
func TestFinishedJobIsKept(t *testing.T) {
	w := newWorld(t)
	migration := func(name string) component.Resource {
		object := &batchv1.Job{ObjectMeta: w.meta(name)}
		object.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
		object.Spec.Template.Spec.Containers = []corev1.Container{{Name: "migrate", Image: "registry/migrate:1"}}
		resource, err := job.NewBuilder(object).
			WithCustomSuspendDeletionDecision(func(j *batchv1.Job) bool { return j.Status.Succeeded == 0 }).Build()
		require.NoError(t, err)
		return resource
	}
	reconcile := func(suspend bool) {
		t.Helper()
		require.NoError(t, w.reconcile(func(b *component.Builder) {
			b.Suspend(suspend).WithResource(migration("finished")).WithResource(migration("waiting"))
		}))
	}
	reconcile(false)
	finished := w.get("finished", &batchv1.Job{}).(*batchv1.Job)
	finished.Status.Succeeded = 1
	require.NoError(t, w.client.Status().Update(t.Context(), finished))

	reconcile(true)

	assert.Equal(t, finished.UID, w.get("finished", &batchv1.Job{}).GetUID())
	w.requireAbsent("waiting", &batchv1.Job{})
	assert.Equal(t, string(component.Suspended), w.condition().Reason)
}
