package cli_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatIsMergedBecauseItIsSelected(t *testing.T) {
	golden(t, "why-merged",
		"why cproj/merged -n api-1",
		"why cm/layered-config -n tenant-a",
		"tree cproj/merged",
		"render proj/layered -n tenant-a",
	)
}

// TestRuleThatSelectsNothingToMerge wants no copy, which is no failure.
func TestRuleThatSelectsNothingToMerge(t *testing.T) {
	const rule = "clusterprojection/merging-nothing"
	create(t, "testdata/merging-nothing.yaml")
	kubectl(t, "wait", "--for=condition=Ready", rule)
	printed, code := run(t, "status", rule, "--watch", "--timeout=30s")
	assert.Equal(t, "clusterprojection/merging-nothing: 0/0 copies up to date\n", printed)
	assert.Zero(t, code)
	printed, code = run(t, "plan", rule)
	assert.Contains(t, printed, "Plan: no copies")
	assert.Zero(t, code)
	printed, code = run(t, "why", rule, "-n", "legacy")
	assert.Contains(t, printed, "NotTarget, SourceNotFound")
	assert.Contains(t, printed, "source.selector matches no ConfigMap in platform")
	assert.Zero(t, code)
}

// TestLayersOfARuleDependOnTheSourceMode also where none that is selected consents unless the operator has permissive mode.
func TestLayersOfARuleDependOnTheSourceMode(t *testing.T) {
	create(t, "testdata/unconsented-layer.yaml")
	const rule = "clusterprojection/unconsented-layer"
	printed, _ := run(t, "why", rule, "-n", "legacy")
	assert.Contains(t, printed, "Refused, SourceNotFound")
	printed, _ = run(t, "why", rule, "-n", "legacy", "--operator-namespace=elsewhere")
	assert.Contains(t, printed, "Unknown")
	assert.Contains(t, printed, "it depends on the source mode of the operator")
}
