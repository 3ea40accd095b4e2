package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// TestRuleThatIsTouchedLeavesItsCopyAsItIs edits rules in ways that change nothing of what they say.
func TestRuleThatIsTouchedLeavesItsCopyAsItIs(t *testing.T) {
	rules := map[string]func(*world, *unstructured.Unstructured) owner.Object{
		v1.KindProjection: func(w *world, source *unstructured.Unstructured) owner.Object { return w.Project("settings", source) },
		v1.KindClusterProjection: func(w *world, source *unstructured.Unstructured) owner.Object {
			return w.fanOut(source, `{namespaces: [$AWAY]}`)
		},
	}
	for kind, bring := range rules {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t)
			source := w.Apply(configMap)
			rule := bring(w, source)
			w.projected(rule)
			w.settles()
			before := w.Exists(source, w.Away, "settings", fixture.Anything)
			touch := func(patch string) []env.Request {
				return w.requestsOn([]string{w.Away}, func() {
					w.Merge(rule, patch)
					w.projected(rule)
					w.settles()
				})
			}

			assert.Empty(t, touch(`{"metadata":{"annotations":{"example.com/touched":"1"}}}`))
			assert.Empty(t, touch(`{"metadata":{"labels":{"touched":"1"}}}`))
			for _, request := range within(w.Away, touch(`{"spec":{"destination":{"name":"settings"}}}`)) { // the same place, said aloud
				assert.NotEqual(t, "configmaps", request.Resource, "%v", request)
			}

			after := w.Exists(source, w.Away, "settings", fixture.Anything)
			assert.Equal(t, before.GetUID(), after.GetUID())
			assert.Equal(t, before.GetResourceVersion(), after.GetResourceVersion())
		})
	}
}
