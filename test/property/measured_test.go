package property_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/oracle"
)

// measured waits until the metrics are those of the statuses of the rules. An operator that was started again counts all rules anew, once it leads.
func (d *driver) measured() {
	d.t.Helper()
	state, err := d.world().Read(context.Background())
	require.NoError(d.t, err)
	want := d.statuses(state)
	require.EventuallyWithTf(d.t, func(c *assert.CollectT) {
		gauges := d.gauges("projection_rules", "projection_destinations")
		for _, series := range slices.Sorted(maps.Keys(want)) {
			assert.InDelta(c, want[series], gauges[series], 0, "%s", series)
		}
		for series, value := range gauges {
			if _, expected := want[series]; !expected && !strings.Contains(series, "kind=Projection,state=") {
				assert.Zero(c, value, "%s", series)
			}
		}
	}, timeout, interval, "%s", d.told())
}

// statuses returns what the metrics have to be. The copies of Projections are not counted in a status. Of a rule that selects its sources, the status
// counts namespaces, and the metrics count copies.
func (d *driver) statuses(state oracle.State) map[string]float64 {
	want := map[string]float64{}
	for _, rule := range state.Rules {
		ready := meta.FindStatusCondition(*rule.GetStatusConditions(), v1.ConditionReady)
		want[fmt.Sprintf("projection_rules kind=%s,ready=%s,reason=%s", rule.GetKind(), ready.Status, ready.Reason)]++
		rule, ok := rule.(*v1.ClusterProjection)
		switch {
		case !ok:
		case rule.Spec.Source.Selector != nil && rule.Spec.Merge == nil:
			inSync, failed, skipped, held := oracle.Destinations(state, d.foreign, rule)
			for named, count := range map[string]int{"in_step": inSync, "failed": failed, "skipped": skipped, "held": held} {
				want["projection_destinations kind=ClusterProjection,state="+named] += float64(count)
			}
		default:
			for named, count := range map[string]*int32{
				"in_step": rule.Status.NamespacesWritten, "failed": rule.Status.NamespacesFailed,
				"held": rule.Status.NamespacesHeld, "skipped": rule.Status.NamespacesSkipped,
			} {
				want["projection_destinations kind=ClusterProjection,state="+named] += float64(ptr.Deref(count, 0))
			}
		}
	}
	return want
}

// gauges returns the values of metrics by their names and labels. A replica that waits counts nothing. What one has counted that has lost its lease counts
// no more: the other one counts now.
func (d *driver) gauges(names ...string) map[string]float64 {
	d.t.Helper()
	values := map[string]float64{}
	for _, replica := range []*manager.InProcess{d.operator, d.standby} {
		if replica == nil || hasEnded(replica) {
			continue
		}
		families, err := replica.Options.Registry.(*prometheus.Registry).Gather()
		require.NoError(d.t, err)
		for _, family := range families {
			for _, metric := range family.GetMetric() {
				var labels []string
				for _, label := range metric.GetLabel() {
					labels = append(labels, label.GetName()+"="+label.GetValue())
				}
				if slices.Contains(names, family.GetName()) {
					values[family.GetName()+" "+strings.Join(labels, ",")] += metric.GetGauge().GetValue()
				}
			}
		}
	}
	return values
}

func hasEnded(replica *manager.InProcess) bool {
	select {
	case <-replica.Ended():
		return true
	default:
		return false
	}
}
