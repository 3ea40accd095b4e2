package definition_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/definition"
)

func TestLimitOfAppliedFieldsIsThatOfTheServedDefinition(t *testing.T) {
	for plural, rule := range rules {
		t.Run(plural, func(t *testing.T) {
			api := serve(t, plural, `{}`)
			d := definition.New(api, rule.kind, rule.rule, never)
			assert.Equal(t, 128, d.MaxAppliedFields(), "as long as it is not known")
			d.AllFieldsKnown(t.Context())
			assert.Equal(t, 2048, d.MaxAppliedFields())

			api.limit(t, int64(128))
			d.Changed(t.Context())
			assert.Equal(t, 128, d.MaxAppliedFields(), "the definition of version 1")
		})
	}
}

func TestStatusHasTheFieldsOfTheServedDefinition(t *testing.T) {
	for plural, rule := range rules {
		t.Run(plural, func(t *testing.T) {
			api := serve(t, plural, `{}`)
			d := definition.New(api, rule.kind, rule.rule, never)
			assert.False(t, d.HasStatusField("namespacesTargeted"), "as long as it is not known")
			d.AllFieldsKnown(t.Context())
			assert.Equal(t, plural == "clusterprojections", d.HasStatusField("namespacesTargeted"))

			versions, _, _ := unstructured.NestedSlice(api.definition.Object, "spec", "versions")
			unstructured.RemoveNestedField(versions[0].(map[string]any),
				"schema", "openAPIV3Schema", "properties", "status", "properties", "namespacesTargeted")
			require.NoError(t, unstructured.SetNestedSlice(api.definition.Object, versions, "spec", "versions"))
			d.Changed(t.Context())
			assert.False(t, d.HasStatusField("namespacesTargeted"), "the definition of version 1")
		})
	}
}

// limit gives status.appliedFields a limit.
func (s *server) limit(t *testing.T, maxLength int64) {
	t.Helper()
	versions, _, _ := unstructured.NestedSlice(s.definition.Object, "spec", "versions")
	path := []string{"schema", "openAPIV3Schema", "properties", "status", "properties", "appliedFields", "maxLength"}
	assert.NoError(t, unstructured.SetNestedField(versions[0].(map[string]any), maxLength, path...))
	assert.NoError(t, unstructured.SetNestedSlice(s.definition.Object, versions, "spec", "versions"))
}

func TestLimitOfADefinitionThatCannotBeRead(t *testing.T) {
	api := serve(t, "projections", `{}`)
	api.err = assert.AnError
	d := definition.New(api, v1.KindProjection, &v1.Projection{}, never)
	assert.False(t, d.AllFieldsKnown(t.Context()))
	assert.Equal(t, 128, d.MaxAppliedFields())
}

// TestPermissionToReadTheDefinitionComesLate has an operator start before it is allowed to read the definition.
func TestPermissionToReadTheDefinitionComesLate(t *testing.T) {
	api := serve(t, "projections", `{}`)
	api.err = apierrors.NewForbidden(schema.GroupResource{Resource: "customresourcedefinitions"}, "", errors.New("no"))
	d := definition.New(api, v1.KindProjection, &v1.Projection{}, never)
	assert.False(t, d.AllFieldsKnown(t.Context()))
	api.err = nil
	assert.True(t, d.AllFieldsKnown(t.Context()), "the next reconcile knows what the status may have")

	api.err = apierrors.NewForbidden(schema.GroupResource{Resource: "customresourcedefinitions"}, "", errors.New("no"))
	assert.True(t, d.Changed(t.Context()))
	reads := len(api.reads)
	for range 3 {
		assert.False(t, d.AllFieldsKnown(t.Context()))
	}
	assert.Len(t, api.reads, reads, "what the status may have is known")
}

func TestStatusOfADefinitionThatCouldNotBeReadYet(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "customresourcedefinitions"}, "", errors.New("no"))
	for plural, rule := range rules {
		t.Run(plural, func(t *testing.T) {
			api := serve(t, plural, `{}`)
			api.err = assert.AnError
			d := definition.New(api, rule.kind, rule.rule, 0)
			assert.False(t, d.AllFieldsKnown(t.Context()))
			assert.Equal(t, plural == "clusterprojections", d.HasStatusField("namespacesTargeted"), "nothing would complete the status of a rule that is in sync")

			api.err = forbidden
			assert.False(t, d.AllFieldsKnown(t.Context()))
			assert.False(t, d.HasStatusField("namespacesTargeted"), "it may be of version 1 for ever")
		})
	}
}
