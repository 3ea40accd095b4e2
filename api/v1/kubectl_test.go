package v1_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
)

func TestKubectlFindsRulesByEveryName(t *testing.T) {
	create(t, v1.KindProjection, "one", `{source: {kind: Secret, namespace: platform, name: ca}}`, nil)
	create(t, v1.KindClusterProjection, "two", listedTargets, nil)
	const one, two = "projection.projection.sh/one", "clusterprojection.projection.sh/two"

	for arguments, want := range map[string][]string{
		"get proj":              {one},
		"get projection one":    {one},
		"get cproj":             {two},
		"get clusterprojection": {two},
		"get projections":       {one},
		"get projections one":   {one},
		"get projection-sh":     {two, one}, // the category
		"get proj -A --field-selector spec.source.name=ca":    {one},
		"get proj -A --field-selector spec.source.name=other": {},
	} {
		t.Run(arguments, func(t *testing.T) {
			assert.Equal(t, want, strings.Fields(kubectl(t, append(strings.Fields(arguments), "-o", "name")...)))
		})
	}
}

func TestKubectlExplainsFields(t *testing.T) {
	for field, want := range map[string]string{
		"cproj.spec.destination.namespaceSelector": "{} selects all",
		"proj.spec.source.version":                 "the version that the API server prefers",
		"cproj.status.failures.reason":             "DestinationWritten",
	} {
		words := strings.Fields(kubectl(t, "explain", field))
		assert.Contains(t, strings.Join(words, " "), want, field)
	}
}

func kubectl(t *testing.T, arguments ...string) string {
	t.Helper()
	command := exec.Command(filepath.Join(cluster.Assets, "kubectl"), append([]string{"--kubeconfig", cluster.KubeConfig}, arguments...)...)
	output, err := command.Output()
	require.NoError(t, err, "%v", arguments)
	return string(output)
}
