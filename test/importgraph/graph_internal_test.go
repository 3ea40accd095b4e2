package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestImportsThatFollowFromOthersAreLeftOut(t *testing.T) {
	imports := map[string][]string{"a": {"b", "c", "d"}, "b": {"c"}, "c": {"d"}, "e": {"d", "d"}}
	assert.Equal(t, map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"d"}, "e": {"d"}}, reduced(imports))
}

func TestNodeOfAPackage(t *testing.T) {
	for pkg, node := range map[string]string{
		"m/api/v1":                                 "api/v1",
		"m/cmd/manager/app":                        "cmd/manager",
		"m/components/projector/internal/memory":   "components/projector",
		"m/primitives/component":                   "primitives",
		"m/mutations":                              "mutations",
		"k8s.io/client-go/kubernetes":              "",
		"sigs.k8s.io/controller-runtime/pkg/cache": "",
	} {
		assert.Equal(t, node, nodeOf(pkg, "m"), pkg)
	}
}

func TestDiagramStandsBetweenTheMarks(t *testing.T) {
	drawn, err := insert("a\n"+begin+"old\n"+end+"b\n", diagram(map[string][]string{"components/plan": {"api/v1"}}))
	require.NoError(t, err)
	assert.Equal(t, "a\n"+begin+"```mermaid\nflowchart TD\n  components_plan[plan] --> api_v1[api/v1]\n```\n"+end+"b\n", drawn)
	_, err = insert("a\n", "")
	require.Error(t, err)
}
