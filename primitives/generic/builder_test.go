package generic_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
)

func TestValidation(t *testing.T) {
	object := func(change func(*corev1.ConfigMap)) *generic.StaticBuilder[*corev1.ConfigMap, *mutator] {
		o := baseline()
		change(o)
		return generic.NewStaticBuilder(o, identity, newMutator)
	}
	clusterScoped := func(b *generic.StaticBuilder[*corev1.ConfigMap, *mutator]) *generic.StaticBuilder[*corev1.ConfigMap, *mutator] {
		b.MarkClusterScoped()
		return b
	}
	unasked := generic.Mutation[*mutator]{Name: "a", Feature: brokenGate{}}
	for name, test := range map[string]struct {
		builder *generic.StaticBuilder[*corev1.ConfigMap, *mutator]
		want    string
	}{
		"valid":         {staticBuilder().WithMutation(unasked), ""},
		"nil object":    {generic.NewStaticBuilder[*corev1.ConfigMap, *mutator](nil, nil, nil), "object cannot be nil"},
		"no name":       {object(func(o *corev1.ConfigMap) { o.Name, o.Namespace = "", "" }), "object name cannot be empty"},
		"no namespace":  {object(func(o *corev1.ConfigMap) { o.Namespace = "" }), "object namespace cannot be empty"},
		"cluster scope": {clusterScoped(object(func(o *corev1.ConfigMap) { o.Namespace = "" })), ""},
		"cluster scope with a namespace": {
			clusterScoped(staticBuilder()), "cluster-scoped object must not have a namespace",
		},
		"no identity": {
			generic.NewStaticBuilder[*corev1.ConfigMap, *mutator](baseline(), nil, nil), "identity function cannot be nil",
		},
		"no mutator": {
			generic.NewStaticBuilder[*corev1.ConfigMap, *mutator](baseline(), identity, nil), "mutator factory cannot be nil",
		},
		"a name twice": {
			staticBuilder().WithMutation(unasked, says("b")).WithMutation(unasked),
			`duplicate mutation name "a": mutation names must be unique within a resource`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			resource, err := test.builder.Build()
			if test.want == "" {
				require.NoError(t, err)
				assert.NotNil(t, resource)
				return
			}
			require.EqualError(t, err, test.want)
			assert.Nil(t, resource)
		})
	}
}

func TestStatusHandlersAreRequired(t *testing.T) {
	_, err := generic.NewWorkloadBuilder(baseline(), identity, newMutator).Build()
	require.EqualError(t, err, "converging status handler is required")
	_, err = generic.NewTaskBuilder(baseline(), identity, newMutator).Build()
	require.EqualError(t, err, "converging status handler is required")
	_, err = generic.NewIntegrationBuilder(baseline(), identity, newMutator).Build()
	require.EqualError(t, err, "operational status handler is required")

	_, err = generic.NewWorkloadBuilder[*corev1.ConfigMap](nil, identity, newMutator).Build()
	require.EqualError(t, err, "object cannot be nil", "the base is validated first")
	_, err = generic.NewTaskBuilder[*corev1.ConfigMap](nil, identity, newMutator).Build()
	require.EqualError(t, err, "object cannot be nil")
	_, err = generic.NewIntegrationBuilder[*corev1.ConfigMap](nil, identity, newMutator).Build()
	require.EqualError(t, err, "object cannot be nil")
}

func TestWrap(t *testing.T) {
	assert.Nil(t, generic.WrapGuard[corev1.ConfigMap](nil))
	assert.Nil(t, generic.WrapExtractor[corev1.ConfigMap](nil))

	status, err := generic.WrapGuard(func(o corev1.ConfigMap) (concepts.GuardStatusWithReason, error) {
		return concepts.GuardStatusWithReason{Reason: o.Name}, errBoom
	})(baseline())
	assert.Equal(t, "one", status.Reason)
	require.ErrorIs(t, err, errBoom)

	require.ErrorIs(t, generic.WrapExtractor(func(o corev1.ConfigMap) error {
		assert.Equal(t, "one", o.Name)
		return errBoom
	})(baseline()), errBoom)
}
