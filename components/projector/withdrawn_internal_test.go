package projector

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/watch"
)

func TestCopyIsWithdrawnWithItsRuleOrItsNamespace(t *testing.T) {
	tests := map[string]struct {
		change    func(rule *v1.ClusterProjection)
		namespace string
		withdrawn bool
	}{
		"nothing has changed":                 {func(*v1.ClusterProjection) {}, "a", false},
		"the cache is behind":                 {func(rule *v1.ClusterProjection) { rule.ResourceVersion, rule.Generation = "1", 4 }, "a", false},
		"the rule is being deleted":           {func(rule *v1.ClusterProjection) { rule.DeletionTimestamp = &metav1.Time{Time: now} }, "a", true},
		"the rule has another spec":           {func(rule *v1.ClusterProjection) { rule.Generation = 6 }, "a", true},
		"the rule is another one":             {func(rule *v1.ClusterProjection) { rule.UID = "another" }, "a", true},
		"the namespace is no target any more": {func(*v1.ClusterProjection) {}, "b", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b, rule := newFixture(t), newRule()
			rule.ResourceVersion, rule.Generation = "2", 5
			cached := rule.DeepCopy()
			cached.ResourceVersion = "3"
			test.change(cached)
			b.hub.Client = &behind{cached: cached}
			b.member.Sources = watch.NewSources(watch.NewObjects(t.Context(), nil), nil)
			b.adapter.StillTarget = func(context.Context, *v1.ClusterProjection) func(string) bool {
				return func(namespace string) bool { return namespace == "a" }
			}
			p := b.scope(rule)
			assert.Equal(t, test.withdrawn, p.local.withdrawn(t.Context(), p.named())(test.namespace))
		})
	}
}
