package app_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "shop.example.com/webapp/api/v1"

	"projection.sh/operator/primitives/component"
)

// TestErrorOfAMutation wants a version that is none.
func TestErrorOfAMutation(t *testing.T) {
	w := newWorld(t)
	w.running()
	w.edit(version("latest"))
	w.reconcile()
	w.finishMigration()
	_, err := w.tryReconcile()
	require.Error(t, err)
	assert.Contains(t, w.says(v1.WebReady, metav1.ConditionFalse, component.Error), "failed to mutate resource apps/v1/Deployment/"+w.namespace+
		`/web: failed to apply mutation intent for json-logs: compare version "latest" with ">= 2.0.0"`)
	w.says(v1.Ready, metav1.ConditionFalse, component.Error)
	w.says(v1.MonitoringReady, metav1.ConditionTrue, component.Disabled)
	assert.Equal(t, w.app().Generation, w.app().Status.ObservedGeneration)
	assert.Equal(t, "registry.example.com/web:2.1.0", w.deployment().Spec.Template.Spec.Containers[0].Image)
}

// TestVersionIsPartOfNames tries what cannot be part of the name of the Job.
func TestVersionIsPartOfNames(t *testing.T) {
	w := newWorld(t)
	for _, refused := range []string{"2.1.0+build", "2.1.0_1", "2.1.0-RC1", "-2"} {
		assert.True(t, apierrors.IsInvalid(w.client.Create(t.Context(), webApp(w.namespace, version(refused)))), refused)
	}
	w.create(version("2.1.0-rc.1"))
	w.reconcile()
	assert.Len(t, w.jobs(), 1)
}
