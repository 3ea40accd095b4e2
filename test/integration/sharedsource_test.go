package integration_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// TestRequestsPerEditOfASourceOfManyRules edits a source that 150 rules copy.
func TestRequestsPerEditOfASourceOfManyRules(t *testing.T) {
	const rules = 150
	w := newWorld(t)
	source := w.Apply(configMap)
	all := make([]*v1.Projection, rules)
	for i := range all {
		all[i] = w.projectAs(fmt.Sprint("rule-", i), fmt.Sprint("copy-", i), source)
	}
	for _, rule := range all {
		w.Ready(rule)
	}
	w.settles()

	requests := w.requestsOf(func() {
		w.Merge(source, `{"data":{"color":"blue"}}`)
		for i := range all {
			w.Exists(source, w.Away, fmt.Sprint("copy-", i), func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
		}
		w.settles()
	})

	assert.Equal(t, rules, count(requests, "patch", "configmaps"))
	assert.LessOrEqual(t, count(requests, "get", "configmaps"), 10)
	assert.Positive(t, count(requests, "get", "configmaps"))
}
