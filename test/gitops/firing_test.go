package gitops_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/util/teststorage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// healthy time: an hour of two replicas that do what they should, a sample a minute. The values are those of Prometheus'
// own tests: "1x60" stays, "0+5x60" grows by five.
var wellTime = map[string]string{
	`leader_election_master_status{name="projection.sh",namespace="ops",pod="a"}`:               "1x60",
	`leader_election_master_status{name="projection.sh",namespace="ops",pod="b"}`:               "0x60",
	`leader_election_master_status{name="somebody-else",namespace="ops",pod="c"}`:               "0x60",
	`projection_watched_gvks{namespace="ops",pod="a"}`:                                          "3x60",
	`projection_watches_failing{namespace="ops",pod="a"}`:                                       "0x60",
	`projection_destinations{kind="Projection",namespace="ops",state="failed"}`:                 "0x60",
	`projection_destinations{kind="Projection",namespace="ops",state="in_step"}`:                "9x60",
	`projection_rules{kind="Projection",namespace="ops",ready="True",reason="Projected"}`:       "9x60",
	`projection_rules{kind="Projection",namespace="ops",ready="False",reason="Suspended"}`:      "1x60",
	`projection_rules{kind="Projection",namespace="ops",ready="False",reason="SourceNotFound"}`: "0x60",
	`projection_oldest_pending_seconds{kind="Projection",namespace="ops",pod="a"}`:              "0x20 30+60x5 0x34",
	`projection_oldest_pending_seconds{kind="Projection",namespace="ops",pod="b"}`:              "0x60",
	`projection_reconcile_total{kind="Projection",namespace="ops",result="success"}`:            "0+5x60",
	`projection_reconcile_total{kind="Projection",namespace="ops",result="source_error"}`:       "7x60",
	`projection_reconcile_total{kind="Projection",namespace="ops",result="conflict"}`:           "7x60",
	`projection_panics_total{kind="Projection",namespace="ops"}`:                                "0x60",
	`projection_orphans{kind="Projection",namespace="ops",pod="a"}`:                             "0x60",
	`projection_orphans{kind="Projection",namespace="ops",pod="b"}`:                             "0x60",
	`projection_clusters{namespace="ops",pod="a",ready="True",reason="Connected"}`:              "5x60",
	`projection_clusters{namespace="ops",pod="a",ready="False",reason="Paused"}`:                "1x60",
	`projection_cluster_orphans{namespace="ops",pod="a"}`:                                       "0x60",
	`projection_cluster_owed{namespace="ops",pod="a"}`:                                          "0x60",
	`projection_published_resources{namespace="ops",pod="a",ready="True",reason="Synced"}`:      "2x60",
	`projection_cluster_credentials_expiry_timestamp_seconds{namespace="ops",pod="a"}`:          "700000x60",
	`projection_e2e_seconds_bucket{event="create",kind="Projection",le="1",namespace="ops"}`:    "0+5x60",
	`projection_e2e_seconds_bucket{event="create",kind="Projection",le="10",namespace="ops"}`:   "0+5x60",
	`projection_e2e_seconds_bucket{event="create",kind="Projection",le="+Inf",namespace="ops"}`: "0+5x60",
}

// troubles are what each alert is about: series that differ, and from which minute on the alert is to fire.
var troubles = map[string]struct {
	series map[string]string
	from   int
}{
	"ProjectionOperatorAbsent": {map[string]string{`projection_watched_gvks{namespace="ops",pod="a"}`: "3x10"}, 25},
	"ProjectionNoLeader":       {map[string]string{`leader_election_master_status{name="projection.sh",namespace="ops",pod="a"}`: "1x20 0x40"}, 26},
	"ProjectionWatchesFailing": {map[string]string{`projection_watches_failing{namespace="ops",pod="a"}`: "0x20 1x40"}, 31},
	"ProjectionErrors": {map[string]string{
		`projection_reconcile_total{kind="Projection",namespace="ops",result="source_error"}`: "7x20 8+2x40",
	}, 36},
	"ProjectionPanics": {map[string]string{`projection_panics_total{kind="Projection",namespace="ops"}`: "0x20 1x40"}, 21},
	"ProjectionConflicts": {map[string]string{
		`projection_reconcile_total{kind="Projection",namespace="ops",result="conflict"}`: "0x20 1x40",
	}, 21},
	"ProjectionCopiesBehind":   {map[string]string{`projection_destinations{kind="Projection",namespace="ops",state="failed"}`: "0x20 1x40"}, 36},
	"ProjectionChangesPending": {map[string]string{`projection_oldest_pending_seconds{kind="Projection",namespace="ops",pod="a"}`: "0x10 0+60x50"}, 27},
	"ProjectionRulesNotReady": {map[string]string{
		`projection_rules{kind="Projection",namespace="ops",ready="False",reason="SourceNotFound"}`: "1x60",
	}, 60},
	"ProjectionRolloutHeld": {map[string]string{
		`projection_rules{kind="ClusterProjection",namespace="ops",ready="False",reason="RolloutHeld"}`: "0x20 1x40",
	}, 26},
	"ProjectionOrphans": {map[string]string{`projection_orphans{kind="Projection",namespace="ops",pod="b"}`: "0x20 1x40"}, 36},
	"ProjectionClustersNotReady": {map[string]string{
		`projection_clusters{namespace="ops",pod="a",ready="False",reason="Unreachable"}`: "0x20 1x40",
	}, 51},
	"ProjectionClusterCredentialsExpire": {map[string]string{
		`projection_cluster_credentials_expiry_timestamp_seconds{namespace="ops",pod="a"}`: "606000x60",
	}, 21},
	"ProjectionClusterOrphans": {map[string]string{`projection_cluster_orphans{namespace="ops",pod="a"}`: "0x20 1x40"}, 36},
	"ProjectionClusterOwed":    {map[string]string{`projection_cluster_owed{namespace="ops",pod="a"}`: "1x60"}, 60},
	"ProjectionPublishedResourcesNotReady": {map[string]string{
		`projection_published_resources{namespace="ops",pod="a",ready="False",reason="SyncFailed"}`: "0x10 1x40",
	}, 41},
	"ProjectionPropagationSlow": {map[string]string{
		`projection_e2e_seconds_bucket{event="create",kind="Projection",le="1",namespace="ops"}`: "0x60",
	}, 16},
}

func TestAlertsFireWhenTheyShould(t *testing.T) {
	for _, alert := range alerts(t) {
		t.Run(alert.Alert, func(t *testing.T) {
			assert.Equal(t, -1, fires(t, alert, wellTime), "it is to be silent as long as all is well")
			trouble, known := troubles[alert.Alert]
			require.True(t, known, "no trouble is known that it tells of")
			series := maps.Clone(wellTime)
			maps.Copy(series, trouble.series)
			assert.Equal(t, trouble.from, fires(t, alert, series))
		})
	}
}

// fires returns the minute in which the alert begins to fire; -1 if it never does.
func fires(t *testing.T, alert rulefmt.Rule, series map[string]string) int {
	t.Helper()
	lines := []string{"load 1m"}
	for _, name := range slices.Sorted(maps.Keys(series)) {
		lines = append(lines, "  "+name+" "+series[name])
	}
	storage := promqltest.LoadedStorage(t, strings.Join(lines, "\n"))
	engine := promqltest.NewTestEngine(t, false, 5*time.Minute, promqltest.DefaultMaxSamplesPerQuery)
	pending := -1
	for minute := range 61 {
		switch {
		case !holds(t, engine, storage, alert.Expr, minute):
			pending = -1
		case pending < 0:
			pending = minute
		}
		if pending >= 0 && time.Duration(minute-pending)*time.Minute >= time.Duration(alert.For) {
			return minute
		}
	}
	return -1
}

func holds(t *testing.T, engine *promql.Engine, storage *teststorage.TestStorage, expression string, minute int) bool {
	t.Helper()
	query, err := engine.NewInstantQuery(t.Context(), storage, nil, expression, time.Unix(int64(60*minute), 0))
	require.NoError(t, err)
	defer query.Close()
	result, err := query.Exec(t.Context()).Vector()
	require.NoError(t, err)
	return len(result) > 0
}
