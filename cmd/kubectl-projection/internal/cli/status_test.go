package cli_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStatus(t *testing.T) {
	golden(t, "status",
		"status",
		"status -n tenant-a",
		"status -A -o wide",
		"status -A -o name",
		"status -n tenant-a -l team=none",
		"status -n tenant-a --no-headers --as=tenant",
		"status -A --as=tenant",
		"status -o json -n web-1",
		"status --operator-namespace=elsewhere -n web-1",
		"status unexpected",
	)
}

func TestTop(t *testing.T) {
	golden(t, "top",
		"top",
		"top -A --sort-by=bytes",
		"top -A --sort-by=failed -o wide",
		"top -A --sort-by=name -o name",
		"top -n tenant-a --as=tenant",
		"top -n tenant-a -l team=none",
		"top -o json -n web-1",
		"top --sort-by=age",
	)
}

func TestTree(t *testing.T) {
	golden(t, "tree",
		"tree clusterprojection/base",
		"tree cproj base --all",
		"tree cproj/base -o json",
		"tree cproj/ca",
		"tree cproj/listed",
		"tree cproj/dashboards",
		"tree cproj/paused --no-headers",
		"tree proj/app-config -n tenant-a",
		"tree proj/private -n tenant-a",
		"tree proj/app-config -n tenant-a --as=tenant",
		"tree cm/app-config -n platform",
	)
}

func TestSuspendAndResume(t *testing.T) {
	rule := switched(t)
	isSuspended := func() string { return kubectl(t, "get", rule, "-o", "jsonpath={.spec.suspend}") }

	golden(t, "suspend-dry-run", "suspend "+rule+" --dry-run=client", "suspend "+rule+" --dry-run=server", "suspend "+rule+" --dry-run=sometimes")
	assert.Empty(t, isSuspended())
	golden(t, "suspend", "suspend "+rule, "suspend cproj switched", "suspend cm/app-config -n platform", "suspend proj/app-config -n tenant-a --as=tenant")
	assert.Equal(t, "true", isSuspended())
	kubectl(t, "patch", "configmap/switched-config", "-n", "legacy", "-p", `{"data":{"log-level":"debug"}}`)
	golden(t, "drift", "why configmap/switched-config -n legacy", "tree "+rule)
	golden(t, "resume", "resume "+rule, "resume "+rule, "resume cproj/nothing")
	assert.Equal(t, "false", isSuspended())
	assert.Contains(t, kubectl(t, "get", rule, "-o", "yaml", "--show-managed-fields"), "manager: kubectl-projection\n")
}

func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	printed, err := cluster.Kubectl(t.Context(), args...)
	require.NoError(t, err, printed)
	return printed
}
