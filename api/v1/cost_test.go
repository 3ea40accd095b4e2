package v1_test

import (
	"fmt"
	"strings"
	"testing"

	v1 "projection.sh/operator/api/v1"
)

// The API server stops CEL rules that cost too much while they run, too: the largest valid objects have to pass.
func TestLargestObjectsAreWithinTheBudgetOfTheirRules(t *testing.T) {
	longest := func(n int) []string {
		words := make([]string, n)
		for i := range words {
			words[i] = fmt.Sprintf("n%062d", i)
		}
		return words
	}
	pairs := func(n int) string {
		prefix := strings.Repeat("p", 63) + "." + strings.Repeat("p", 63) + ".example/"
		return "{" + prefix + strings.Join(longest(n), ": "+longest(1)[0]+", "+prefix) + ": " + longest(1)[0] + "}"
	}
	overlay := "overlay: {labels: " + pairs(100) + ", annotations: " + pairs(100) + "}\n"
	requirement := "{key: " + longest(1)[0] + ", operator: In, values: [" + strings.Join(longest(50), ",") + "]}"
	selector := "{matchLabels: " + pairs(50) + ", matchExpressions: [" + strings.Repeat(requirement+",", 49) + requirement + "]}"

	few := "{key: " + longest(1)[0] + ", operator: In, values: [" + strings.Join(longest(20), ",") + "]}"
	wave := "{namespaceSelector: {matchLabels: " + pairs(10) + ", matchExpressions: [" + strings.Repeat(few+",", 9) + few + "]}}"
	rollout := "rollout: {maxUnavailable: 100%, maxFailures: 100%, waves: [" + strings.Repeat(wave+",", 9) + wave + "]}\n"

	name := strings.Repeat("n", 253)
	layers := "{kind: Secret, namespace: " + longest(1)[0] + ", name: " + name + "}"
	selecting := "{kind: Secret, namespace: " + longest(1)[0] + ", selector: {matchLabels: " + pairs(10) + ", matchExpressions: [" + strings.Repeat(few+",", 9) + few + "]}}"
	layers, selecting = strings.Repeat(layers+",", 15)+layers, strings.Repeat(selecting+",", 15)+selecting
	content := "content: {data: {include: [" + strings.Join(longest(64), ",") + "]}}\n"
	clusters := "clusters: {selector: {matchLabels: " + pairs(10) + ", matchExpressions: [" + strings.Repeat(few+",", 9) + few + "]}, except: [" + strings.Join(longest(200), ",") + "]}"
	merge, merging := "merge: {layers: ["+layers+"]}\n"+content, "merge: {layers: ["+selecting+"]}\n"+content

	admit(t, v1.KindClusterProjection, []admission{
		{name: "merge", spec: anySource + overlay + merge + "destination: {namespaceSelector: " + selector + "}"},
		{name: "merge of selected layers", spec: anySource + overlay + merging + "destination: {namespaceSelector: " + selector + "}"},
		{name: "list", spec: anySource + overlay + "destination: {namespaces: [" + strings.Join(longest(5000), ",") + "]}"},
		{name: "selector", spec: anySource + overlay + "destination: {namespaceSelector: " + selector + "}"},
		{name: "expression", spec: anySource + overlay + "destination: {namespaceSelector: " + selector + ", nameExpression: " + strings.Repeat("n", 1024) + "}"},
		{name: "names of clusters", spec: anySource + overlay + "destination: {namespaceSelector: " + selector + ", clusters: {names: [" + strings.Join(longest(2000), ",") + "]}}"},
		{name: "selector of clusters", spec: anySource + overlay + "destination: {namespaceSelector: " + selector + ", " + clusters + "}"},
		{name: "rollout", spec: anySource + overlay + rollout + "destination: {namespaceSelector: " + selector + "}"},
	})
}
