package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestSuspendedRuleIsToldWhatWouldBeDone has others change a copy that is out of sync: a rule that is not suspended knows that already.
func TestSuspendedRuleIsToldWhatWouldBeDone(t *testing.T) {
	inOtherWords := func(o *metav1.PartialObjectMetadata) {
		o.Labels["theirs"] = "1"
		o.ManagedFields = append(o.ManagedFields, applied("somebody", otherSet))
	}
	for _, suspended := range []bool{false, true} {
		told := rules(mine)
		if !suspended {
			told = nil
		}
		w := newFakeWatch()
		w.write(mine, copied("10"))
		w.setSuspended(mine, suspended)
		w.changed(copied("11", drifted))
		assert.Equal(t, rules(mine), w.enqueued())
		assert.False(t, w.setDesired(at, mine, wanted, 0))
		w.changed(copied("12"))
		assert.Equal(t, told, w.enqueued(), "somebody put it right")
		w.changed(copied("13", inOtherWords))
		assert.Empty(t, w.enqueued(), "the plan is the same")

		assert.False(t, w.setDesired(at, mine, "newer", 0))
		w.changed(copied("14", terminating))
		assert.Equal(t, rules(mine), w.enqueued())
	}
}

// TestSuspendedRuleIsToldOfCopiesThatWouldBeDeleted has a copy vanish that the rule does not want any more, or has not yet asked for.
func TestSuspendedRuleIsToldOfCopiesThatWouldBeDeleted(t *testing.T) {
	for _, suspended := range []bool{false, true} {
		told := rules(mine)
		if !suspended {
			told = nil
		}
		w := newFakeWatch()
		w.changed(copied("10"))
		w.enqueued()
		w.setSuspended(mine, suspended)
		w.vanished(copied("11"))
		assert.Equal(t, told, w.enqueued())

		w.changed(copied("12"))
		w.enqueued()
		w.forget(mine)
		w.vanished(copied("13"))
		assert.Empty(t, w.enqueued(), "the rule is gone")
	}
}
