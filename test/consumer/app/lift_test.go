package app_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"shop.example.com/webapp/app"

	"projection.sh/operator/primitives/daemonset"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/statefulset"
)

// TestOneMutationForAllWorkloads renders the same mutation into three kinds.
func TestOneMutationForAllWorkloads(t *testing.T) {
	auth := app.AuthEnv(webApp("shop", withCredentials))
	named := metav1.ObjectMeta{Namespace: "shop", Name: "web"}
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web"}, {Name: "sidecar"}}}}

	d, err := deployment.NewBuilder(&appsv1.Deployment{ObjectMeta: named, Spec: appsv1.DeploymentSpec{Template: template}}).
		WithMutation(deployment.LiftMutation(auth)).Build()
	require.NoError(t, err)
	deployed, err := d.PreviewObject()
	require.NoError(t, err)

	s, err := statefulset.NewBuilder(&appsv1.StatefulSet{ObjectMeta: named, Spec: appsv1.StatefulSetSpec{Template: template}}).
		WithMutation(statefulset.LiftMutation(auth)).Build()
	require.NoError(t, err)
	stateful, err := s.PreviewObject()
	require.NoError(t, err)

	n, err := daemonset.NewBuilder(&appsv1.DaemonSet{ObjectMeta: named, Spec: appsv1.DaemonSetSpec{Template: template}}).
		WithMutation(daemonset.LiftMutation(auth)).Build()
	require.NoError(t, err)
	onNodes, err := n.PreviewObject()
	require.NoError(t, err)

	want := deployed.Spec.Template.Spec.Containers
	assert.Equal(t, "PASSWORD", want[0].Env[0].Name)
	assert.Empty(t, want[1].Env, "the sidecar has no business with the password")
	assert.Equal(t, want, stateful.Spec.Template.Spec.Containers)
	assert.Equal(t, want, onNodes.Spec.Template.Spec.Containers)
	assert.Empty(t, template.Spec.Containers[0].Env, "the author's own object is left as it was")
}
