package expressions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/expressions"
)

var (
	publishedObject  = map[string]any{"metadata": map[string]any{"name": "www", "namespace": "shop"}, "spec": map[string]any{"days": int64(90)}}
	consumersCluster = expressions.Target{Name: "eu-1", ID: "5b7d6c1e", Labels: map[string]string{"region": "eu"}}
)

func TestTextsOfPublications(t *testing.T) {
	for text, want := range map[string]string{
		"object.metadata.name + '-' + hash(object.metadata.namespace)": "www-8d9001d32c6a",
		"'consumer-' + cluster.id":                                     "consumer-5b7d6c1e",
		"cluster.labels['region'] + cluster.name":                      "eueu-1",
	} {
		expression, err := expressions.CompilePublishedText("p", text)
		require.NoError(t, err, text)
		given, err := expression.Text(publishedObject, consumersCluster)
		require.NoError(t, err, text)
		assert.Equal(t, want, given, text)
	}
}

func TestConditionsOfPublications(t *testing.T) {
	expression, err := expressions.CompilePublishedBool("p", "object.spec.days < 100 && cluster.name == 'eu-1'")
	require.NoError(t, err)
	holds, err := expression.Holds(publishedObject, consumersCluster)
	require.NoError(t, err)
	assert.True(t, holds)
	holds, err = expression.Holds(publishedObject, expressions.Target{Name: "us-1"})
	require.NoError(t, err)
	assert.False(t, holds)
	_, err = expression.Holds(map[string]any{}, consumersCluster)
	assert.Error(t, err)
}

func TestFieldsOfPublications(t *testing.T) {
	fields, err := expressions.CompilePublishedFields("p", []expressions.Field{
		{Path: "spec.region", Expression: "cluster.labels['region']"}, {Path: "spec.days", Expression: "object.spec.days * 2"},
	})
	require.NoError(t, err)
	values, err := fields.Evaluate(expressions.Source{Object: publishedObject}, expressions.Timing{})
	require.NoError(t, err)
	given, err := values.Of(consumersCluster)
	require.NoError(t, err)
	assert.Equal(t, []expressions.Value{{Path: "spec.region", Value: "eu"}, {Path: "spec.days", Value: int64(180)}}, given)
}

// TestVariablesAreThoseOfTheDialect names the variables of rules in a PublishedResource, and the other way round.
func TestVariablesAreThoseOfTheDialect(t *testing.T) {
	for _, text := range []string{"source.metadata.name", "target.name", "cluster.annotations['a']", "1", "hash(1)"} {
		_, err := expressions.CompilePublishedText("p", text)
		require.ErrorAs(t, err, new(*expressions.CompileError), text)
	}
	for _, text := range []string{"object.metadata.name", "cluster.name", "hash('a')"} {
		_, err := expressions.Compile("p", text)
		require.ErrorAs(t, err, new(*expressions.CompileError), text)
	}
	_, err := expressions.CompilePublishedBool("p", "'true'")
	assert.EqualError(t, err, "the result is not true or false")
}
