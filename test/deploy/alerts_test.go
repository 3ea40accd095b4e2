package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

func TestEveryAlertCanBeLeftOut(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(env.Chart(), "files", "alerts.yaml"))
	require.NoError(t, err)
	var names []string
	for _, found := range regexp.MustCompile(`(?m)- alert: (\w+)$`).FindAllStringSubmatch(string(content), -1) {
		names = append(names, found[1])
	}
	require.NotEmpty(t, names)
	install(t, "")
	manifest := mustTemplate(t, "prometheusRule: {enabled: true, disabled: ["+strings.Join(names, ", ")+"]}")
	assert.NotContains(t, manifest, "alert:")
	accepts(t, manifest)

	_, err = template(t, "prometheusRule: {enabled: true, disabled: [ProjectionTypo]}")
	require.ErrorContains(t, err, "at '/prometheusRule/disabled/0'")
}
