package cli_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAdopt gives objects to a rule. The operator ends each adoption: the fields of the copy are then the rule's alone.
func TestAdopt(t *testing.T) {
	create(t, "testdata/adopt.yaml")
	kubectl(t, "wait", "--for=condition=Ready=False", "--timeout=60s", "clusterprojection/taking-over")
	kubectl(t, "delete", "clusterprojection/ending", "--wait=false")
	before := uidsOf(t, "configmap/taken-over", "legacy", "api-1")
	const rule = " --rule=clusterprojection/taking-over"
	golden(t, "adopt-refused",
		"adopt configmap/taken-over -n legacy"+rule+" --dry-run=server",
		"adopt configmap/taken-over -n api-1"+rule,
		"adopt configmap/taken-over -n web-1"+rule,
		"adopt configmap/bystander -n legacy"+rule,
		"adopt configmap/nothing -n legacy"+rule,
		"adopt configmap/app-config -n web-1 --rule=clusterprojection/taking-over",
		"adopt configmap/bystander -n legacy --rule=configmap/x",
		"adopt configmap/bystander -n legacy --rule=clusterprojection/paused",
		"adopt configmap/bystander -n legacy",
		"adopt configmap/shared-config -n tenant-a --rule=projection/ca --as=tenant",
		"adopt secret/identity -n legacy"+rule,
		"adopt configmap/taken-over -n legacy"+rule+" --as=patcher",
		"adopt configmap/app-config -n web-2 --rule=clusterprojection/base --operator-namespace=elsewhere",
		"adopt configmap/bystander -n legacy --rule=clusterprojection/skipping --operator-namespace=elsewhere",
		"adopt configmap/bystander -n legacy --rule=clusterprojection/ending",
	)
	kubectl(t, "patch", "clusterprojection/ending", "--type=json", "-p", `[{"op":"remove","path":"/metadata/finalizers"}]`)
	golden(t, "adopt",
		"adopt configmap/taken-over -n legacy"+rule,
		"adopt configmap/taken-over -n api-1"+rule+" --overwrite",
		"release configmap/taken-over -n api-1 --dry-run=client",
	)
	for _, namespace := range []string{"legacy", "api-1"} {
		kubectl(t, "wait", `--for=jsonpath={.metadata.managedFields[?(@.manager=="ClusterProjection/taking-over")].operation}=Apply`,
			"--timeout=60s", "configmap/taken-over", "-n", namespace)
		fields := kubectl(t, "get", "configmap/taken-over", "-n", namespace, "-o", "yaml", "--show-managed-fields")
		assert.Equal(t, 1, strings.Count(fields, "f:log-level"), "the key belongs to the rule alone: %s", fields)
		assert.NotContains(t, fields, "/adopting")
		assert.Equal(t, "info", kubectl(t, "get", "configmap/taken-over", "-n", namespace, "-o", "jsonpath={.data.log-level}"))
	}
	assert.Equal(t, before, uidsOf(t, "configmap/taken-over", "legacy", "api-1"))
	run(t, "release", "configmap/taken-over", "-n", "legacy")
	golden(t, "adopt-again", "adopt configmap/taken-over -n legacy"+rule, "adopt configmap/taken-over -n legacy"+rule)
}
