package expressions_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/expressions"
)

var update = flag.Bool("update", false, "write the golden file")

// example is the source of the golden expressions.
func example() expressions.Source {
	return expressions.Source{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Shop",
		"metadata": map[string]any{
			"name": "shop", "namespace": "templates", "labels": map[string]any{"app": "shop"}, "annotations": map[string]any{"note": "n"},
		},
		"data": map[string]any{"config.json": `{"at":"@NAMESPACE@"}`, "size": "2"},
		"spec": map[string]any{
			"replicas": int64(3), "ratio": 0.5, "paused": false,
			"template": map[string]any{"containers": []any{
				map[string]any{"name": "web", "image": "web:1"}, map[string]any{"name": "log", "image": "log:2"},
			}},
		},
		"empty": map[string]any{}, "nothing": nil,
	}}
}

// The results of these expressions are part of the API: an upgrade of the library that changes one of them changes the copies of
// somebody.
func TestLanguage(t *testing.T) {
	texts := expressionsIn(t)
	require.Greater(t, len(texts), 200)
	var results strings.Builder
	for _, text := range texts {
		results.WriteString(text + "\n    " + describe(evaluate(expressions.Field{Path: "spec.value", Expression: text}, example(), tenant)) + "\n")
	}
	const golden = "testdata/expressions.golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(results.String()), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), results.String(), "review the difference; go test -update writes the file")
}

// expressionsIn returns the expressions of the examples, one a line, or several lines within ”' and ”'.
func expressionsIn(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile("testdata/expressions.txt")
	require.NoError(t, err)
	var texts []string
	open := false
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case open:
			texts[len(texts)-1] += "\n" + line
		case line == "", strings.HasPrefix(line, "# "):
			continue
		default:
			texts = append(texts, line)
		}
		if strings.Count(line, "'''")%2 == 1 {
			open = !open
		}
	}
	return texts
}

func describe(value any, some bool, err error) string {
	if failed, ok := errors.AsType[*expressions.EvaluationError](err); ok {
		return string(failed.Cause) + ": " + failed.Error()
	}
	if err != nil {
		return "is no expression: " + err.Error()
	}
	if !some {
		return "no value"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// One compiled expression serves many reconciles at a time, and gives the same each time.
func TestEvaluationIsPureAndConcurrent(t *testing.T) {
	texts := expressionsIn(t)
	var want []string
	for _, text := range texts {
		want = append(want, describe(evaluate(expressions.Field{Path: "spec.value", Expression: text}, example(), tenant)))
	}
	source := example()
	var workers sync.WaitGroup
	for worker := range 4 {
		workers.Go(func() {
			for i := range texts {
				i = (i + worker*len(texts)/4) % len(texts)
				assert.Equal(t, want[i], describe(evaluate(expressions.Field{Path: "spec.value", Expression: texts[i]}, source, tenant)), texts[i])
			}
		})
	}
	workers.Wait()
	assert.Equal(t, example(), source, "the source stays as it is")
}
