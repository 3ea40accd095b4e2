package push_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/remotes"
)

// TestRequestsOfAnEdit has the source be read once, each copy be written once, and the status be written once at most.
func TestRequestsOfAnEdit(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	in := p.requestsDuring(func() {
		p.Merge(source, `{"data": {"color": "blue"}}`)
		p.east.holds(source, "blue")
		p.west.holds(source, "blue")
	})
	assert.Equal(t, []string{"patch configmaps"}, in.east)
	assert.Equal(t, []string{"patch configmaps"}, in.west)
	assert.Equal(t, 1, count(in.hub, "get configmaps"))
	assert.LessOrEqual(t, count(in.hub, "update clusterprojections"), 1)
	assert.LessOrEqual(t, len(in.hub), 4, "%v", in.hub)
}

// TestRequestsOfARepair has a copy that somebody has changed be written once, and its source be read at most once.
func TestRequestsOfARepair(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	p.Ready(p.push(source))
	copied := p.east.holds(source, "red")
	in := p.requestsDuring(func() {
		p.east.World.Merge(copied, `{"data": {"color": "green"}}`)
		p.east.Exists(source, p.Away, "settings", func(now *unstructured.Unstructured) bool {
			color, _, _ := unstructured.NestedString(now.Object, "data", "color")
			return color == "red" && now.GetResourceVersion() != copied.GetResourceVersion()
		})
	})
	assert.Equal(t, []string{"patch configmaps"}, in.east)
	assert.Empty(t, in.west)
	assert.Subset(t, []string{"get configmaps"}, in.hub, "what was read a moment ago is not read again")
	assert.LessOrEqual(t, len(in.hub), 1)
}

// seen are the requests of the operator to the three clusters.
type seen struct{ hub, east, west []string }

func (p *pushing) requestsDuring(do func()) (in seen) {
	p.T.Helper()
	settle := func() {
		p.Settles(hub, operatorUser)
		p.east.World.Settles(east, remotes.User)
		p.west.World.Settles(west, remotes.User)
	}
	settle()
	in.west = verbs(p.west.World.RequestsDuring(west, remotes.User, func() {
		in.east = verbs(p.east.World.RequestsDuring(east, remotes.User, func() {
			in.hub = verbs(p.World.RequestsDuring(hub, operatorUser, func() {
				do()
				settle()
			}))
		}))
	}))
	return in
}

func verbs(requests []env.Request) (verbs []string) {
	for _, request := range requests {
		if request.Resource != "leases" {
			verbs = append(verbs, request.Verb+" "+request.Resource)
		}
	}
	return verbs
}

func count(verbs []string, wanted string) int {
	return len(slices.DeleteFunc(slices.Clone(verbs), func(verb string) bool { return !strings.HasPrefix(verb, wanted) }))
}
