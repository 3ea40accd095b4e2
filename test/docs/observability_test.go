package docs_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/components/metrics"
)

const observabilityPage = "docs/observability.md"

// TestEveryMetricIsDocumented compares the page with what the operator registers.
func TestEveryMetricIsDocumented(t *testing.T) {
	section, found := pages(t)[observabilityPage].Section("Metrics")
	require.True(t, found)
	documented := map[string]string{}
	for _, row := range section.Rows[1:] {
		labels := strings.ReplaceAll(row.Cells[2], "`", "")
		documented[strings.Trim(row.Cells[0], "`")] = row.Cells[1] + " {" + labels + "}"
	}
	assert.Equal(t, registered(t), documented)
}

// registered returns the type and the labels of every metric of the operator, by its name.
func registered(t *testing.T) map[string]string {
	t.Helper()
	r := &recorder{}
	_, err := metrics.New(r)
	require.NoError(t, err)
	found := map[string]string{}
	for _, collector := range r.collectors {
		kind := "gauge"
		switch collector.(type) {
		case *prometheus.CounterVec:
			kind = "counter"
		case *prometheus.HistogramVec:
			kind = "histogram"
		}
		descriptions := make(chan *prometheus.Desc, 10)
		collector.Describe(descriptions)
		close(descriptions)
		for description := range descriptions {
			text := description.String()
			_, name, _ := strings.Cut(text, `fqName: "`)
			name, _, _ = strings.Cut(name, `"`)
			_, labels, _ := strings.Cut(text, "variableLabels: {")
			labels, _, _ = strings.Cut(labels, "}")
			found[name] = kind + " {" + strings.ReplaceAll(labels, ",", ", ") + "}"
		}
	}
	require.NotEmpty(t, found)
	return found
}

// recorder is a registry that keeps what is registered.
type recorder struct {
	prometheus.Registerer
	collectors []prometheus.Collector
}

func (r *recorder) Register(c prometheus.Collector) error {
	r.collectors = append(r.collectors, c)
	return nil
}

// TestEveryAlertHasAHeading compares the page with the chart's alerts: their runbooks are its headings.
func TestEveryAlertHasAHeading(t *testing.T) {
	content, err := os.ReadFile(fromTop("deploy/charts/projection/files/alerts.yaml"))
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert       string
				Annotations map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(content, &file))
	var alerts []string
	page := pages(t)[observabilityPage]
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			alerts = append(alerts, rule.Alert)
			_, anchor, _ := strings.Cut(rule.Annotations["runbook_url"], "#")
			assert.True(t, hasAnchor(page, anchor), "the runbook of %s", rule.Alert)
		}
	}
	var headings []string
	for _, heading := range page.Headings {
		if heading.Level == 3 {
			headings = append(headings, heading.Text)
		}
	}
	slices.Sort(alerts)
	slices.Sort(headings)
	assert.NotEmpty(t, alerts)
	assert.Equal(t, alerts, headings)
}

// TestEveryReasonOfSuccessIsAnEvent looks for reasons of events that the page forgets.
func TestEveryReasonOfSuccessIsAnEvent(t *testing.T) {
	section, found := pages(t)[observabilityPage].Section("Events")
	require.True(t, found)
	var listed []string
	known := reasons(t)
	for _, row := range section.Rows[1:] {
		if reason := strings.Trim(row.Cells[0], "`"); row.Cells[1] == "Normal" {
			assert.True(t, known[reason], "%s is no reason", reason)
			listed = append(listed, reason)
		}
	}
	assert.ElementsMatch(t, goodNews(t), listed)
}

// goodNews returns the reasons that troubleshooting lists as such, and that of a first copy.
func goodNews(t *testing.T) []string {
	t.Helper()
	news := []string{"Projected"}
	under := ""
	for _, heading := range pages(t)[reasonsPage].Headings {
		switch {
		case heading.Level == 2:
			under = heading.Text
		case heading.Level == 3 && under == "Events that are good news":
			news = append(news, heading.Text)
		}
	}
	return news
}
