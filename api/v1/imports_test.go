package v1_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whoever imports the API pays for it: nothing but what every client of Kubernetes has anyway.
func TestAPIImportsLittle(t *testing.T) {
	const self = "projection.sh/operator/api/v1"
	output, err := exec.Command("go", "list", "-deps", self).Output()
	require.NoError(t, err)
	dependencies := strings.Fields(string(output))
	require.Contains(t, dependencies, "k8s.io/apimachinery/pkg/apis/meta/v1")

	for _, dependency := range dependencies {
		assert.False(t, dependency != self && strings.HasPrefix(dependency, "projection.sh/"), "imports %s of ours", dependency)
		assert.False(t, strings.HasPrefix(dependency, "sigs.k8s.io/controller-runtime"), "imports %s", dependency)
		assert.False(t, strings.HasPrefix(dependency, "k8s.io/client-go"), "imports %s", dependency)
	}
}
