package projector

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/projector/internal/memory"
)

// TestFailureOfAnotherUserIsNotTheOneOfTheCopy has a write end late that was made in the name of the service account that the rule named before.
func TestFailureOfAnotherUserIsNotTheOneOfTheCopy(t *testing.T) {
	now, before := impersonate.UserOf(&v1.ServiceAccountRef{Namespace: "tenant", Name: "now"}), impersonate.UserOf(&v1.ServiceAccountRef{Namespace: "tenant", Name: "before"})
	for name, test := range map[string]struct {
		late  impersonate.User
		asked bool
	}{
		"the same user": {now, false},
		"another one":   {before, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newFixture(t).scope(newRule())
			set := copySet{CopySet: destination.CopySet{User: now, Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}}}
			at := in("a").NamespacedName
			late := failed("a", refusal, "the account lacks a permission")
			late.Err, late.Content, late.User = assert.AnError, "content", test.late
			p.local.late = map[lane.Target]destination.Outcome{set.target(at): late}
			p.remembered(func(r *memory.Rule) { r.Failures.Add(set.target(at), late, p.clock(), p.config.longestBackoff()) })

			var first, outcome destination.Outcome
			asked := false
			step := p.local.beginStep()
			p.local.request(step, job{set: set, at: at, content: "content"}, func(o destination.Outcome) {
				if first.Place.Name == "" {
					first = o
				}
				outcome = o
			}, func(context.Context) destination.Outcome {
				asked = true
				return fine("a", destination.Created)
			})
			step.wait()

			assert.Equal(t, test.asked, asked)
			assert.Equal(t, !test.asked, first.Failed(), "what is reported meanwhile")
			assert.Equal(t, !test.asked, outcome.Failed())
		})
	}
}
