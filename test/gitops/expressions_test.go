package gitops_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// checkExpression holds an expression to what the manager exports: every metric, every label and every value it names.
func checkExpression(t *testing.T, expression string, exported map[string][]labels.Labels) {
	t.Helper()
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	require.NoError(t, err, expression)
	var named []string
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			checkSelector(t, selector, exported)
			named = append(named, selector.Name)
		}
		return nil
	})
	assert.NotEmpty(t, named, "%s names no metric", expression)
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		if aggregation, ok := node.(*parser.AggregateExpr); ok {
			for _, label := range aggregation.Grouping {
				assert.True(t, hasLabel(label, named, exported), "%s: nothing has the label %s", expression, label)
			}
		}
		return nil
	})
}

// checkSelector finds that there is a series for every matcher, and for every alternative of those that name several.
func checkSelector(t *testing.T, selector *parser.VectorSelector, exported map[string][]labels.Labels) {
	t.Helper()
	series := exported[selector.Name]
	if !assert.NotEmpty(t, series, "the manager does not export %s", selector.Name) {
		return
	}
	for _, matcher := range selector.LabelMatchers {
		if matcher.Name == model.MetricNameLabel || slices.Contains(targetLabels, matcher.Name) {
			continue
		}
		values := make([]string, len(series))
		for i, labelled := range series {
			values[i] = labelled.Get(matcher.Name)
		}
		assert.True(t, slices.ContainsFunc(values, matcher.Matches), "%s: nothing matches %s; there is %q", selector, matcher, values)
		for _, alternative := range matcher.SetMatches() {
			assert.Contains(t, values, alternative, "%s", selector)
		}
	}
}

func hasLabel(label string, names []string, exported map[string][]labels.Labels) bool {
	return slices.Contains(targetLabels, label) || slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(exported[name], func(series labels.Labels) bool { return series.Has(label) })
	})
}

// checkTemplate holds the {{label}}s of a legend to the labels that the expression leaves.
func checkTemplate(t *testing.T, legend, expression string) {
	t.Helper()
	for rest := legend; ; {
		_, after, found := strings.Cut(rest, "{{")
		if !found {
			return
		}
		label, next, closed := strings.Cut(after, "}}")
		require.True(t, closed, legend)
		assert.True(t, slices.Contains(targetLabels, label) || strings.Contains(expression, label), "%s: %s has no label %s", legend, expression, label)
		rest = next
	}
}
