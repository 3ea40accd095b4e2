package gitops_test

import (
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/stretchr/testify/require"
)

// targetLabels are those that Prometheus adds to whatever it scrapes.
var targetLabels = []string{"job", "instance", "namespace", "pod", "service", "endpoint", "container"}

// families returns what the running manager exports, by metric.
func families(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	metrics, err := operator.Metrics(t.Context())
	require.NoError(t, err)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	exported, err := parser.TextToMetricFamilies(strings.NewReader(metrics))
	require.NoError(t, err)
	return exported
}

// scrape returns the series that the running manager exports, by metric.
func scrape(t *testing.T) map[string][]labels.Labels {
	t.Helper()
	return seriesOf(families(t))
}

func seriesOf(exported map[string]*dto.MetricFamily) map[string][]labels.Labels {
	series := map[string][]labels.Labels{}
	for name, family := range exported {
		for _, metric := range family.GetMetric() {
			pairs := map[string]string{}
			for _, pair := range metric.GetLabel() {
				pairs[pair.GetName()] = pair.GetValue()
			}
			series[name] = append(series[name], labels.FromMap(pairs))
			if family.GetType() == dto.MetricType_HISTOGRAM {
				pairs["le"] = "+Inf"
				series[name+"_bucket"] = append(series[name+"_bucket"], labels.FromMap(pairs))
			}
		}
	}
	return series
}

// gauge returns the value of a metric that has no labels.
func gauge(t *testing.T, name string) float64 {
	t.Helper()
	series := families(t)[name].GetMetric()
	require.Len(t, series, 1, name)
	return series[0].GetGauge().GetValue()
}
