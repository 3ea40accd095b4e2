package goldengen_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/goldengen"
)

func settings(t *testing.T, mutation configmap.Mutation) *configmap.Resource {
	t.Helper()
	built, err := configmap.NewBuilder(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).
		WithMutation(mutation).Build()
	require.NoError(t, err)
	return built
}

func settingsComponent(t *testing.T, resource *configmap.Resource) *component.Component {
	t.Helper()
	built, err := component.NewComponentBuilder().WithName("web").WithConditionType("WebReady").WithResource(resource).Build()
	require.NoError(t, err)
	return built
}

func TestUnits(t *testing.T) {
	resource := settings(t, configmap.Mutation{Name: "theme", Mutate: func(m *configmap.Mutator) error {
		m.SetEntry("theme", "dark")
		return nil
	}})
	const want = "apiVersion: v1\ndata:\n  theme: dark\nkind: ConfigMap\nmetadata:\n  name: web\n  namespace: shop\n"
	for _, unit := range []goldengen.Unit{
		goldengen.Resource(resource, scheme.Scheme), goldengen.Component(settingsComponent(t, resource), scheme.Scheme),
	} {
		assert.Equal(t, []string{"theme"}, unit.RegisteredMutations())
		firing, err := unit.FiringSet()
		require.NoError(t, err)
		assert.Equal(t, []string{"theme"}, firing)
		content, err := unit.RenderYAML()
		require.NoError(t, err)
		assert.Equal(t, want, string(content))
	}
}

func TestErrorsOfUnits(t *testing.T) {
	boom := errors.New("boom")
	resource := settings(t, configmap.Mutation{Name: "theme", Mutate: func(*configmap.Mutator) error { return boom }})
	_, err := goldengen.Resource(resource, scheme.Scheme).RenderYAML()
	require.ErrorContains(t, err, "preview resource: ")
	require.ErrorIs(t, err, boom)
	_, err = goldengen.Component(settingsComponent(t, resource), scheme.Scheme).RenderYAML()
	require.ErrorContains(t, err, "preview component: ")
	require.ErrorIs(t, err, boom)

	fine := settings(t, configmap.Mutation{Name: "theme", Mutate: func(*configmap.Mutator) error { return nil }})
	_, err = goldengen.Resource(fine, nil).RenderYAML()
	require.ErrorContains(t, err, "object *v1.ConfigMap has incomplete TypeMeta")
	_, err = goldengen.Component(settingsComponent(t, fine), nil).RenderYAML()
	require.ErrorContains(t, err, "failed to serialize object 0 to YAML: object *v1.ConfigMap has incomplete TypeMeta")
}
