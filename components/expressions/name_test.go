package expressions_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/components/expressions"
)

// named is a source with more metadata than names see.
var named = &metav1.ObjectMeta{
	Name: "settings", Namespace: "home", UID: "u-1", Labels: map[string]string{"app": "shop"}, Annotations: map[string]string{"secret": canary},
}

func TestNameOfACopy(t *testing.T) {
	for text, want := range map[string]string{
		"'shared-' + source.metadata.name":                                          "shared-settings",
		"target.name + '-' + source.metadata.namespace":                             "tenant-a-home",
		"source.metadata.labels.app + '-' + target.labels[?'team'].orValue('none')": "shop-a",
		"source.metadata.labels[?'none'].orValue('x')":                              "x",
		"target.annotations.contact.split('@')[0]":                                  "a",
		"[source][0].metadata.name":                                                 "settings",
		"'Not a name'":                                                              "Not a name", // whether it can be one is not decided here
	} {
		name, err := expressions.CompileName("tenant", text, still)
		require.NoError(t, err, text)
		got, err := name.Of(named, tenant)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

func TestNameIsAString(t *testing.T) {
	for _, text := range []string{"1", "true", "['a']", "{'a': 'b'}", "optional.of('a')", "target", "target.labels", "null", "size(source.metadata.name)", "b'a'"} {
		_, err := expressions.CompileName("tenant", text, still)
		require.Error(t, err, text)
		_, isCompileError := errors.AsType[*expressions.CompileError](err)
		assert.True(t, isCompileError, text)
	}
	_, err := expressions.CompileName("tenant", "1", still)
	require.EqualError(t, err, "the result is not a string, and a name is one")
	for _, text := range []string{"source.metadata.labels", "dyn(1)", "true ? source.metadata.labels : 'a'"} {
		name, err := expressions.CompileName("tenant", text, still)
		require.NoError(t, err, text)
		_, err = name.Of(named, tenant)
		requireCause(t, expressions.NotConvertible, err)
	}
}

// TestNameSeesNoContent looks for what is not metadata, and for annotations, which can hold what kubectl has applied.
func TestNameSeesNoContent(t *testing.T) {
	for _, text := range []string{
		"source.data.a", "string(source['data']['a'])", "source.kind", "source.metadata.annotations['secret']", "source.metadata.uid", "dyn(source).stringData.a",
	} {
		name, err := expressions.CompileName("tenant", text, still)
		require.NoError(t, err, text)
		got, err := name.Of(named, tenant)
		requireCause(t, expressions.NoSuchKey, err)
		assert.NotContains(t, got+err.Error(), canary, text)
	}
	name, err := expressions.CompileName("tenant", "source.map(k, k).join(' ') + ': ' + source.metadata.map(k, k).join(' ')", still)
	require.NoError(t, err)
	all, err := name.Of(named, tenant)
	require.NoError(t, err)
	assert.Equal(t, "metadata: labels name namespace", all)
}

func TestNameHasABudget(t *testing.T) {
	name, err := expressions.CompileName("tenant", "target.labels.long.split('').map(a, target.labels.long.split('').map(b, a + b).join('')).join('')", still)
	require.NoError(t, err)
	_, err = name.Of(named, expressions.Target{Labels: map[string]string{"long": strings.Repeat("x", 1000)}})
	requireCause(t, expressions.TooCostly, err)
	assert.Equal(t, expressions.Names{Target: true, Labels: true}, name.Names())
}
