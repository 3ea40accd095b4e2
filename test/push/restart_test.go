package push_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/remotes"
)

// TestRestartWritesNothing restarts the operator while everything is in sync.
func TestRestartWritesNothing(t *testing.T) {
	p := newPushing(t)
	source, later := p.World.Create(consenting), p.setting("later")
	rule := p.push(source)
	p.Ready(rule)
	p.both(source, "red")
	p.requestsDuring(func() {})
	atHub, atEast, atWest := fixture.Mark(t, hub), fixture.Mark(t, east), fixture.Mark(t, west)
	restart(t, func() {})
	p.Ready(p.pushNamed(later)) // after what the start has caused
	p.requestsDuring(func() {})
	assert.Equal(t, []string{"patch later"}, p.east.writesSince(atEast))
	assert.Equal(t, []string{"patch later"}, p.west.writesSince(atWest))
	for _, request := range fixture.RequestsSince(t, hub, atHub, operatorUser) {
		isWrite := request.Verb != "get" && request.Verb != "list" && request.Verb != "watch"
		assert.False(t, isWrite && request.Name == rule.Name && request.Resource == "clusterprojections", request)
	}
}

// TestMemberThatIsAwayAtTheStartDelaysNobody starts the operator while one cluster cannot be reached. Meanwhile, the source was changed, and that
// cluster was not to have a copy any more of another one.
func TestMemberThatIsAwayAtTheStartDelaysNobody(t *testing.T) {
	p := newPushing(t)
	source, narrowed := p.World.Create(consenting), p.setting("narrowed")
	rule, narrows := p.push(source), p.pushNamed(narrowed)
	p.Ready(rule)
	p.Ready(narrows)
	restart(t, func() {
		p.east.cut()
		p.Merge(source, `{"data": {"color": "blue"}}`)
		p.Merge(narrows, `{"spec": {"destination": {"clusters": {"names": ["west"]}}}}`)
	})
	mark := fixture.Mark(t, east)
	p.west.holds(source, "blue")
	assert.Contains(t, p.fails(rule, v1.ReasonClusterUnreachable).Message, "the cluster east")
	p.east.holds(source, "red")
	p.east.holds(narrowed, "red")
	p.east.heal()
	p.east.holds(source, "blue")
	p.east.lacks(narrowed)
	p.Ready(rule)
	p.east.World.Settles(east, remotes.User)
	assert.Equal(t, []string{"delete narrowed", "patch settings"}, p.east.writesSince(mark))
}
