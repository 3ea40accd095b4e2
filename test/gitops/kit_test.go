package gitops_test

import (
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/metrics"
	"projection.sh/operator/test/env"
)

const (
	ofTheKit = `component="web",controller="webapp",kind="Deployment",owner_kind="WebApp",resource="deployment"`
	ofAnApp  = `controller="webapp",id="shop/web",kind="WebApp",name="web",namespace="shop"`
)

// kitWellTime is an hour of an operator that is built with the kit.
var kitWellTime = map[string]string{
	`shop_controller_condition{condition="Ready",reason="Healthy",status="True",` + ofAnApp + `}`:   "60x60",
	`shop_controller_condition{condition="Ready",reason="Creating",status="False",` + ofAnApp + `}`: "_x60",
	`ocf_resource_apply_total{operation="none",` + ofTheKit + `}`:                                   "0+2x60",
	`ocf_resource_apply_total{operation="updated",` + ofTheKit + `}`:                                "0+1x60",
	`ocf_resource_apply_errors_total{` + ofTheKit + `}`:                                             "0+1x60",
}

// kitTroubles are what each alert is about: series that differ, and from which minute on the alert is to fire.
var kitTroubles = map[string]struct {
	series map[string]string
	from   int
}{
	// The reason changes, and the resource is not ready nevertheless.
	"CustomResourceNotReady": {map[string]string{
		`shop_controller_condition{condition="Ready",reason="Creating",status="False",` + ofAnApp + `}`: "_x10 600x15 _x35",
		`shop_controller_condition{condition="Ready",reason="Down",status="False",` + ofAnApp + `}`:     "_x25 600x35",
	}, 40},
	"CustomResourceConditionUnknown": {map[string]string{
		`shop_controller_condition{condition="WebReady",reason="Unknown",status="Unknown",` + ofAnApp + `}`: "_x10 600x50",
	}, 40},
	"CustomResourceConditionStuck": {map[string]string{
		`shop_controller_condition{condition="Ready",reason="Down",status="False",` + ofAnApp + `}`: "-20000x60",
	}, 27},
	"ManagedResourceNotConverging": {map[string]string{
		`ocf_resource_apply_total{operation="updated",` + ofTheKit + `}`: "0+1x20 20+3x40", // from minute 29 on, more than half of 15 minutes
	}, 29},
	"ManagedResourceApplyFailing": {map[string]string{
		`ocf_resource_apply_total{operation="none",` + ofTheKit + `}`:    "0x60",
		`ocf_resource_apply_total{operation="updated",` + ofTheKit + `}`: "0x60",
	}, 6},
}

func TestAlertsOfTheKit(t *testing.T) {
	for _, alert := range alertsOf(t, filepath.Join(env.Root(), "docs", "kit", "alerts.yaml")) {
		t.Run(alert.Alert, func(t *testing.T) {
			assert.Equal(t, -1, fires(t, alert, kitWellTime), "it is to be silent as long as all is well")
			trouble, known := kitTroubles[alert.Alert]
			require.True(t, known)
			series := maps.Clone(kitWellTime)
			maps.Copy(series, trouble.series)
			assert.Equal(t, trouble.from, fires(t, alert, series))
		})
	}
}

// TestAlertsOfTheKitNameItsMetrics compares the expressions with what the package metrics exports.
func TestAlertsOfTheKitNameItsMetrics(t *testing.T) {
	described := make(chan *prometheus.Desc, 3)
	metrics.NewCollectors().Describe(described)
	metrics.NewOperatorConditionsGauge("shop").Describe(described)
	close(described)
	var exported strings.Builder
	for description := range described {
		exported.WriteString(description.String())
	}
	for _, alert := range alertsOf(t, filepath.Join(env.Root(), "docs", "kit", "alerts.yaml")) {
		names := regexp.MustCompile(`ocf_\w+|_controller_\w+`).FindAllString(alert.Expr, -1)
		require.NotEmpty(t, names)
		for _, name := range names {
			assert.Contains(t, exported.String(), name+`"`, alert.Alert)
		}
	}
}
