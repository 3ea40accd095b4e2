package lane_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSlowRequestsLeaveTheBudgetToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		road, got := newRoad(), &results{}
		for i := range limits.Total { // all of the budget
			go func() {
				name := fmt.Sprint("slow", i)
				batch := road.Open(rule(name), func() {})
				batch.Go(t.Context(), in(name, name), taking(time.Minute, name), got.add)
				batch.Wait(t.Context())
			}()
		}
		synctest.Wait()
		began := time.Now()
		batch := road.Open(rule("fast"), func() {})
		batch.Go(t.Context(), in("fast", "x"), taking(0, "fast"), got.add)
		batch.Wait(t.Context())
		assert.Equal(t, []string{"fast"}, got.come())
		assert.Equal(t, limits.Slow, time.Since(began), "until the others are known as slow")
		<-time.After(time.Hour)
	})
}

func TestSlowNamespacesLeaveTheLimitOfTheRuleToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		road, got := newRoad(), &results{}
		way, giveWay := context.WithTimeout(t.Context(), 4*limits.Slow)
		defer giveWay()
		first := road.Open(rule("a"), func() {})
		for i := range 2 * limits.PerRule { // more than may be slow at a time
			name := fmt.Sprint("slow", i)
			first.Go(way, in(name, "x"), taking(time.Hour, name), got.add)
		}
		first.Wait(way)
		second := road.Open(rule("a"), func() {})
		began := time.Now()
		second.Go(t.Context(), in("fast", "x"), taking(0, "fast"), got.add)
		second.Wait(t.Context())
		assert.Equal(t, []string{"fast"}, got.come())
		assert.Zero(t, time.Since(began))
		<-time.After(2 * time.Hour)
	})
}

func TestSlowRequestsDoNotUseTheBudgetOfTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		road, got := newRoad(), &results{}
		write := func(name string, long time.Duration) {
			batch := road.Open(rule(name), func() {})
			batch.Go(t.Context(), in(name, "x"), taking(long, name), got.add)
			batch.Wait(t.Context())
		}
		for i := range 2 * limits.Total { // known as slow
			go write(fmt.Sprint("slow", i), tooLong)
		}
		<-time.After(2 * tooLong)
		synctest.Wait()
		for i := range 2 * limits.Total {
			require.True(t, road.IsSlow(fmt.Sprint("slow", i)))
			go write(fmt.Sprint("slow", i), tooLong)
		}
		synctest.Wait()
		began := time.Now()
		write("fast", 0)
		assert.Contains(t, got.come(), "fast")
		assert.Zero(t, time.Since(began))
		<-time.After(time.Hour)
	})
}
