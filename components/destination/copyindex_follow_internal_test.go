package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"
)

// TestRuleFollowsACopyOnce has a copy that is in sync change, as when its controller writes its status.
func TestRuleFollowsACopyOnce(t *testing.T) {
	w := newFakeWatch()
	told := func(version string) []types.NamespacedName {
		w.changed(copied(version))
		return w.enqueued()
	}
	w.write(mine, copied("10"))
	w.setDesired(at, mine, wanted, ours)
	assert.Empty(t, told("11"), "nobody follows it")
	assert.True(t, w.follow(mine, map[types.NamespacedName]string{at: "10"}), "it has changed already")
	assert.Empty(t, told("12"))

	assert.False(t, w.follow(mine, map[types.NamespacedName]string{at: "12"}))
	assert.Empty(t, told("12"), "the rule has seen that")
	assert.Equal(t, []types.NamespacedName{mine}, told("13"))
	assert.Empty(t, told("14"), "it was enqueued")

	assert.False(t, w.follow(mine, map[types.NamespacedName]string{at: "14"}))
	assert.False(t, w.follow(mine, nil))
	assert.Empty(t, told("15"), "it follows nothing any more")

	assert.False(t, w.follow(mine, map[types.NamespacedName]string{at: "15"}))
	w.forget(mine)
	assert.Empty(t, told("16"), "the rule is gone")
	assert.Empty(t, w.followed)
}
