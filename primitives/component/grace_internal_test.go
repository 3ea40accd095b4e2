package component

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestGracePeriodIncludesItsEnd(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	previous := Condition{LastTransitionTime: metav1.NewTime(began)}
	for after, want := range map[time.Duration]bool{
		time.Minute - 1: false,
		time.Minute:     false,
		time.Minute + 1: true,
	} {
		part := &Component{gracePeriod: time.Minute, now: func() time.Time { return began.Add(after) }}
		assert.Equal(t, want, part.graceExpired(previous), after)
	}
}
