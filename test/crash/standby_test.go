package crash_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/faults"
)

// TestStandbyThatHasHeardNothingDeletesNothing lets a replica lead whose watch fell silent while it stood by. What its
// predecessor has copied meanwhile is wanted, though its own cache does not say so.
func TestStandbyThatHasHeardNothingDeletesNothing(t *testing.T) {
	tests := map[string]func(*world){
		"namespaces": func(w *world) { w.group(three, true) },
		"clusterprojections": func(w *world) {
			w.patch(w.rule("rule"), fmt.Sprintf(`{"spec":{"destination":{"namespaceSelector":null,"namespaces":[%q,%q,%q]}}}`,
				w.name(one), w.name(two), w.name(three)))
		},
	}
	for resource, meanwhile := range tests {
		t.Run(resource, func(t *testing.T) {
			t.Parallel()
			lane := "silent-" + resource
			r := &replicas{world: newWorld(t, lane, v1.KindClusterProjection)}
			r.namespace("leases", "")
			config, err := cluster.ConfigFor(lane, "system:masters")
			require.NoError(t, err)
			proxy, err := faults.NewProxy(config, 1)
			require.NoError(t, err)
			t.Cleanup(proxy.Close)
			r.first = r.join()
			require.Eventually(t, func() bool { return r.holder() != "" }, timeout, interval)
			sourceAndRule(r.world)
			r.settles()
			r.second = manager.Start(proxy.Config(), r.electing)
			t.Cleanup(r.second.Kill)
			watches := faults.Rule{Verbs: []string{"watch"}, Resources: []string{resource}, Fault: faults.Silent}
			count := func(mark env.AuditMark, verb, of string) int {
				requests := fixture.RequestsSince(t, cluster, mark, lane)
				count := 0
				for _, request := range requests {
					if strings.HasPrefix(request.Verb, verb) && request.Resource == of {
						count++
					}
				}
				return count
			}
			require.Eventually(t, func() bool { return count(0, "get", "leases") > 0 }, timeout, interval, "its caches are in sync")
			require.Positive(t, proxy.Watches(watches))

			mark := fixture.Mark(t, cluster)
			proxy.Disturb(watches)
			meanwhile(r.world)
			r.settles()
			r.first.Kill()
			require.Eventually(t, func() bool { return count(mark, "list", resource) > 1 }, timeout, interval, "it asks until its cache has caught up")
			assert.Empty(t, r.problems())
			proxy.Clear()
			r.settles()
			r.editSource(`{"data":{"color":"blue"}}`)
			r.settles()
			assert.Zero(t, count(mark, "delete", "configmaps"))
		})
	}
}
