package primitives_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/primitives/concepts"
)

// TestMethodSets checks what a component finds in a resource by type assertion.
func TestMethodSets(t *testing.T) {
	for name, test := range map[string]struct {
		kinds []kind
		want  []string
	}{
		"static":      {statics(), nil},
		"workload":    {workloads(), []string{"Alive", "Graceful", "Suspendable"}},
		"task":        {tasks(), []string{"Completable", "Suspendable"}},
		"integration": {integrations(), []string{"Operational", "Graceful", "Suspendable"}},
		"volume":      {volumes(), []string{"Operational", "Graceful"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, k := range test.kinds {
				assert.ElementsMatch(t, test.want, conceptsOf(build(t, k, options{})), k.identity)
			}
		})
	}
}

func conceptsOf(built any) []string {
	var found []string
	add := func(name string, implemented bool) {
		if implemented {
			found = append(found, name)
		}
	}
	_, alive := built.(concepts.Alive)
	_, completable := built.(concepts.Completable)
	_, operational := built.(concepts.Operational)
	_, graceful := built.(concepts.Graceful)
	_, suspendable := built.(concepts.Suspendable)
	add("Alive", alive)
	add("Completable", completable)
	add("Operational", operational)
	add("Graceful", graceful)
	add("Suspendable", suspendable)
	return found
}
