package gitops_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// runbooks is where alerts send people, in the repository.
const runbooks = "docs/observability.md#"

// alerts returns the alerts of the chart.
func alerts(t *testing.T) []rulefmt.Rule {
	t.Helper()
	return alertsOf(t, filepath.Join(env.Chart(), "files", "alerts.yaml"))
}

// alertsOf returns the alerts of a file of one group, as Prometheus reads them.
func alertsOf(t *testing.T, path string) []rulefmt.Rule {
	t.Helper()
	groups, errs := rulefmt.ParseFile(path, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.Default())
	require.Empty(t, errs)
	require.Len(t, groups.Groups, 1)
	require.NotEmpty(t, groups.Groups[0].Rules)
	return groups.Groups[0].Rules
}

func TestAlertsSayWhatToDo(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(env.Root(), "docs", "observability.md"))
	require.NoError(t, err)
	for _, alert := range alerts(t) {
		assert.Contains(t, []string{"warning", "critical"}, alert.Labels["severity"], alert.Alert)
		assert.NotEmpty(t, alert.Annotations["summary"], alert.Alert)
		assert.NotEmpty(t, alert.Annotations["description"], alert.Alert)
		assert.Equal(t, runbooks+strings.ToLower(alert.Alert), alert.Annotations["runbook_url"])
		assert.Contains(t, string(page), "# "+alert.Alert+"\n", "docs/observability.md says nothing of the alert")
	}
}
