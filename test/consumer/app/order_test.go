package app_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "shop.example.com/webapp/api/v1"
	"shop.example.com/webapp/app"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/selectors"
)

// rendered returns what becomes of a Deployment with one container by the mutations.
func rendered(t *testing.T, mutations ...deployment.Mutation) *appsv1.Deployment {
	t.Helper()
	resource, err := deployment.NewBuilder(&appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
		Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web"}}},
		}},
	}).WithMutation(mutations...).Build()
	require.NoError(t, err)
	object, err := resource.PreviewObject()
	require.NoError(t, err)
	return object
}

func TestWithinAMutationTheOrderOfCategoriesDecides(t *testing.T) {
	ensure := func(m *deployment.Mutator) { m.EnsureContainer(corev1.Container{Name: "tracing"}) }
	edit := func(m *deployment.Mutator) {
		m.EditContainers(selectors.ContainerNamed("tracing"), func(e *editors.ContainerEditor) error {
			e.EnsureFlag("--service", "web")
			return nil
		})
	}
	recorded := func(calls ...func(*deployment.Mutator)) *appsv1.Deployment {
		return rendered(t, deployment.Mutation{Name: "tracing", Mutate: func(m *deployment.Mutator) error {
			for _, call := range calls {
				call(m)
			}
			return nil
		}})
	}
	first := recorded(ensure, edit)
	assert.Equal(t, first, recorded(edit, ensure))
	assert.Equal(t, []string{"--service=web"}, first.Spec.Template.Spec.Containers[1].Args)
}

func TestAmongMutationsTheirOrderDecides(t *testing.T) {
	password := func(deployed *appsv1.Deployment) corev1.EnvVar {
		env := deployed.Spec.Template.Spec.Containers[0].Env
		require.Len(t, env, 1)
		return env[0]
	}
	mutations := app.DeploymentMutations(webApp("shop", withCredentials, func(s *v1.WebAppSpec) {
		s.ExtraEnv = []corev1.EnvVar{{Name: "PASSWORD", Value: "for tests"}}
	}), concepts.NewData[string]("checksum"))
	assert.Equal(t, "for tests", password(rendered(t, mutations...)).Value, "the user has the last word")

	slices.Reverse(mutations)
	assert.NotNil(t, password(rendered(t, mutations...)).ValueFrom)
}
