package gitops_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// told has the manager tell of all that alerts and panels are about, and returns what it exports then.
func told(t *testing.T) map[string][]labels.Labels {
	t.Helper()
	for name, bring := range map[string]func(*world){
		"success": func(w *world) { settles(v1.ReasonProjected, source, projection)(w) },
		"values":  func(w *world) { settles(v1.ReasonProjected, source, valued)(w) },
		"rollout": func(w *world) {
			settles(v1.ReasonProjected, source, strings.Replace(clusterProjection, "{namespaces: [$AWAY]}", "{namespaces: [$AWAY]}, rollout: {}", 1))(w)
		},
		"conflict": func(w *world) { settles(v1.ReasonDestinationConflict, source, foreign, clusterProjection)(w) },
	} {
		t.Run(name, func(t *testing.T) { bring(newWorld(t)) })
	}
	var exported map[string][]labels.Labels
	require.Eventually(t, func() bool {
		exported = scrape(t)
		return len(exported["projection_e2e_seconds_bucket"]) > 0
	}, env.Timeout, env.Interval)
	maps.Copy(exported, toldOfClusters(t))
	return exported
}

func TestWhatAlertsAndPanelsNameIsExported(t *testing.T) {
	exported := told(t)
	for _, alert := range alerts(t) {
		t.Run(alert.Alert, func(t *testing.T) { checkExpression(t, alert.Expr, exported) })
	}
	read := readDashboard(t)
	for _, panel := range read.Panels {
		for _, target := range panel.Targets {
			t.Run(panel.Title, func(t *testing.T) {
				expression := variables.Replace(target.Expr)
				checkExpression(t, expression, exported)
				checkTemplate(t, target.LegendFormat, expression)
			})
		}
	}
	for _, variable := range read.Templating.List {
		if metric, asks := strings.CutPrefix(variable.Query, "label_values("); asks {
			metric, _, _ = strings.Cut(metric, ",")
			assert.NotEmpty(t, exported[metric], "the variable %s asks for %s", variable.Name, metric)
		}
	}
}

// TestEveryMetricOfOursIsShown finds metrics that nobody would look at.
func TestEveryMetricOfOursIsShown(t *testing.T) {
	var shown strings.Builder
	for _, panel := range readDashboard(t).Panels {
		for _, target := range panel.Targets {
			shown.WriteString(target.Expr + "\n")
		}
	}
	for name := range told(t) {
		if strings.HasPrefix(name, "projection_") && !strings.HasSuffix(name, "_bucket") {
			assert.Contains(t, shown.String(), name)
		}
	}
}
