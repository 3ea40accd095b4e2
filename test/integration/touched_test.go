package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/test/env"
)

// TestRuleThatIsTouchedLeavesItsCopyAsItIs edits rules in ways that change nothing of what they say.
func TestRuleThatIsTouchedLeavesItsCopyAsItIs(t *testing.T) {
	rules := map[string]func(*world, *unstructured.Unstructured) owner.Object{
		v1.KindProjection: func(w *world, source *unstructured.Unstructured) owner.Object { return w.project("settings", source) },
		v1.KindClusterProjection: func(w *world, source *unstructured.Unstructured) owner.Object {
			return w.fanOut(source, `{namespaces: [$AWAY]}`)
		},
	}
	for kind, bring := range rules {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t)
			source := w.apply(configMap)
			rule := bring(w, source)
			w.projected(rule)
			w.settles()
			before := w.exists(source, w.away, "settings", anything)
			touch := func(patch string) []env.Request {
				return w.requestsOn([]string{w.away}, func() {
					w.merge(rule, patch)
					w.projected(rule)
					w.settles()
				})
			}

			assert.Empty(t, touch(`{"metadata":{"annotations":{"example.com/touched":"1"}}}`))
			assert.Empty(t, touch(`{"metadata":{"labels":{"touched":"1"}}}`))
			for _, request := range within(w.away, touch(`{"spec":{"destination":{"name":"settings"}}}`)) { // the same place, said aloud
				assert.NotEqual(t, "configmaps", request.Resource, "%v", request)
			}

			after := w.exists(source, w.away, "settings", anything)
			assert.Equal(t, before.GetUID(), after.GetUID())
			assert.Equal(t, before.GetResourceVersion(), after.GetResourceVersion())
		})
	}
}
