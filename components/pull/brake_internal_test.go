package pull

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"
	testingclock "k8s.io/utils/clock/testing"

	"projection.sh/operator/components/projector"
)

func sourceAt(number int) projector.ObjectRef {
	return projector.ObjectRef{NamespacedName: types.NamespacedName{Namespace: "pki", Name: strconv.Itoa(number)}}
}

func TestBrake(t *testing.T) {
	for name, test := range map[string]struct {
		sources, gone int
		each          time.Duration // between two of them
		held          int
	}{
		"few":                       {sources: 20, gone: 20},
		"most":                      {sources: 30, gone: 30, held: 10},
		"less than half":            {sources: 100, gone: 50},
		"more than half":            {sources: 60, gone: 35, held: 5},
		"one after another, slowly": {sources: 30, gone: 30, each: 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			clock := testingclock.NewFakeClock(time.Now())
			brake, held := newBrake(clock, func() int { return test.sources }), 0
			for i := range test.gone {
				if brake.hold(sourceAt(i)) > 0 {
					held++
				}
				clock.Step(test.each)
			}
			assert.Equal(t, test.held, held)
			if held == 0 {
				return
			}
			assert.Equal(t, holdTime, brake.hold(sourceAt(0)), "all of them wait")
			clock.Step(holdTime)
			for i := range test.gone {
				assert.Zero(t, brake.hold(sourceAt(i)), "they have waited")
			}
		})
	}
}
