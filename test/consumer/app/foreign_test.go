package app_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "shop.example.com/webapp/api/v1"
	"shop.example.com/webapp/app"

	"projection.sh/operator/primitives/component"
)

func TestDeploymentOfAnotherControllerIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	labels := map[string]string{"app": "other"}
	theirs := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "web", OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "example.com/v1", Kind: "Shop", Name: "corner", UID: "4f1d", Controller: new(true)},
		}},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "other", Image: "registry.example.com/other"}}},
			},
		},
	}
	require.NoError(t, w.client.Create(t.Context(), theirs))
	w.create()
	w.reconcile()
	w.finishMigration()
	w.reconcile()
	assert.Equal(t, "controlled by Shop corner", w.says(v1.WebReady, metav1.ConditionFalse, component.GuardBlocked))
	assert.Equal(t, theirs.ResourceVersion, w.deployment().ResourceVersion)
	w.absent(&corev1.Service{}, "web")
}

func TestAppsOfOneNameInTwoNamespaces(t *testing.T) {
	one, two := newWorld(t), newWorld(t)
	one.running()
	two.running(version("1.9.0"))
	one.reconcile()
	assert.Equal(t, "registry.example.com/web:2.1.0", one.deployment().Spec.Template.Spec.Containers[0].Image)
	assert.Equal(t, "registry.example.com/web:1.9.0", two.deployment().Spec.Template.Spec.Containers[0].Image)
}

// TestObjectHasOneOwner lets a second app render the ConfigMap of the first.
func TestObjectHasOneOwner(t *testing.T) {
	w := newWorld(t)
	w.running()
	before := get(w, &corev1.ConfigMap{}, "web-config")

	second := webApp(w.namespace)
	second.Name = "second"
	require.NoError(t, w.client.Create(t.Context(), second))
	built, err := app.Build(webApp(w.namespace, func(s *v1.WebAppSpec) { s.Config = map[string]string{"theme": "light"} }), app.Options{})
	require.NoError(t, err)
	err = built.Configuration.Reconcile(t.Context(), component.ReconcileContext{Client: w.client, Owner: second})
	require.ErrorContains(t, err, "failed to apply resource v1/ConfigMap/"+w.namespace+"/web-config")

	condition := meta.FindStatusCondition(second.Status.Conditions, string(v1.ConfigurationReady))
	assert.Equal(t, string(component.Error), condition.Reason)
	assert.Equal(t, before, get(w, &corev1.ConfigMap{}, "web-config"))
}
