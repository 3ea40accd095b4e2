package cli_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPlanOfFiles(t *testing.T) {
	golden(t, "plan",
		"plan -f testdata/plan/changed.yaml",
		"plan -f testdata/plan/changed.yaml -o wide --no-headers --check-writes",
		"plan -f testdata/plan/changed.yaml --diff",
		"plan -f testdata/plan/renamed.yaml",
		"plan -f testdata/plan/retained.yaml",
		"plan -f testdata/plan/nothing.yaml",
		"plan -f testdata/plan/same.yaml -n tenant-a",
		"plan -f testdata/plan/secret.yaml --diff",
		"plan -f testdata/plan/helm.yaml",
		"plan -f testdata/plan/mistyped.yaml -f testdata/plan/same.yaml -n tenant-a",
		"plan -f testdata/plan/new.yaml",
		"plan -f testdata/plan/new.yaml -o json",
		"plan -f testdata/plan/same.yaml -f testdata/plan/changed.yaml -n tenant-a",
		"plan -f testdata/plan/same.yaml -f testdata/plan/changed.yaml -n tenant-a -o name",
	)
}

func TestPlanOfChanges(t *testing.T) {
	golden(t, "plan-changes",
		"plan clusterprojection/base",
		"plan cproj base --set-selector=team=api",
		"plan cproj/base --set-label=tier=web --set-annotation=example.com/note=yes --diff",
		"plan cproj/base --set-label=tier=web -n web-2",
		"plan cproj/base --set-label=tier=web -n tenant-a",
		"plan cproj/paused",
		"plan cproj/merged",
		"plan cproj/dashboards",
		"plan cproj/listed",
		"plan proj/withdrawn -n tenant-a",
	)
}

func TestPlanOfWhatTheCallerMayNotReadOrWrite(t *testing.T) {
	golden(t, "plan-unknown",
		"plan -f testdata/plan/same.yaml -n tenant-a --as=tenant",
		"plan -f testdata/plan/same.yaml -n tenant-a --as=reader --diff --check-writes",
		"plan proj/app-config --set-label=tier=web -n tenant-a --as=reader --diff --check-writes",
	)
}

func TestPlanRefuses(t *testing.T) {
	golden(t, "plan-errors",
		"plan",
		"plan -f testdata/plan/invalid.yaml",
		"plan -f testdata/world.yaml/nothing",
		"plan -f testdata/switched.yaml cproj/base",
		"plan -f testdata/switched.yaml --set-selector=a=b",
		"plan -f -",
		"plan cm/app-config -n platform",
		"plan cproj/nothing",
		"plan proj/app-config -n tenant-a --set-selector=team=web",
		"plan cproj/base --set-label=tier",
		"plan -f testdata/plan/changed.yaml -o custom-columns",
	)
}

func TestPlanWritesNothing(t *testing.T) {
	all := func() string {
		return kubectl(t, "get", "projections,clusterprojections,configmaps", "-A", "-o",
			`jsonpath={range .items[*]}{.metadata.uid} {.metadata.resourceVersion} {end}`)
	}
	before := all()
	for _, file := range []string{"changed", "renamed", "new", "secret"} {
		_, code := run(t, "plan", "-f", "testdata/plan/"+file+".yaml", "--check-writes", "--diff")
		assert.Less(t, code, 2, file)
	}
	assert.Equal(t, before, all())
}
