package rollout_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/components/rollout"
)

// healthy is a strategy whose copies have to be healthy a minute after they were changed.
func healthy(maxUnavailable, maxFailures string, minReady time.Duration) rollout.Strategy {
	return rollout.Strategy{
		MinReady: func(int) time.Duration { return minReady }, Deadline: time.Minute,
		MaxUnavailable: limit(maxUnavailable), MaxFailures: limit(maxFailures),
	}
}

func TestWhoseTurnItIsAmongCopiesThatHaveToBeHealthy(t *testing.T) {
	const many = 100
	tests := map[string]struct {
		targets                     string
		maxUnavailable, maxFailures string
		want                        rollout.Turn
	}{
		"the next wave waits": {
			targets: "u10!|w", want: rollout.Turn{Size: 1, Again: now.Add(51 * time.Second)},
		},
		"the earliest deadline counts": {
			targets: "u10!,u20!,u|w", want: rollout.Turn{Size: 3, Again: now.Add(41 * time.Second)},
		},
		"a copy that is not healthy takes a slot": {
			targets: "u10!,w,w", maxUnavailable: "1", want: rollout.Turn{Size: 3, Again: now.Add(51 * time.Second)},
		},
		"a copy that is healthy takes none": {targets: "u10,w,w", maxUnavailable: "1", want: rollout.Turn{Next: []int{1}, Size: 3}},
		"the second at the end of which it was changed": {
			targets: "u60!|w", want: rollout.Turn{Size: 1, Again: now.Add(time.Second)},
		},
		"a copy that misses its deadline holds the rollout": {targets: "u61!,w", want: rollout.Turn{Held: true, Size: 2, Failed: 1}},
		"a copy that has failed takes no slot": {
			targets: "u61!,w,w", maxUnavailable: "1", maxFailures: "1", want: rollout.Turn{Next: []int{1}, Size: 3, Failed: 1, Allowed: 1},
		},
		"a wave with as many failed copies as allowed is finished": {
			targets: "u61!,u|w", maxFailures: "1", want: rollout.Turn{Next: []int{2}, Size: 1, Wave: 1, Allowed: 1},
		},
		"a correction begins with the copy that is not healthy": {
			targets: "w,w10!,w", maxUnavailable: "1", want: rollout.Turn{Next: []int{1}, Size: 3, Again: now.Add(51 * time.Second)},
		},
		"a copy with earlier content that may miss its deadline by now takes a slot": {
			targets: "w,w60!", maxUnavailable: "1", want: rollout.Turn{Size: 2, Again: now.Add(time.Second)},
		},
		"a copy with earlier content that has missed its deadline counts as any other": {
			targets: "w,w61!", maxUnavailable: "1", want: rollout.Turn{Next: []int{0}, Size: 2},
		},
		"no copy waits, and one is not healthy yet": {
			targets: "u|u10!", want: rollout.Turn{Wave: 1, Size: 1, Again: now.Add(51 * time.Second)},
		},
		"no copy waits, one has failed and one is not healthy yet": {
			targets: "u61!,u10!", want: rollout.Turn{Size: 2, Failed: 1, Again: now.Add(51 * time.Second)},
		},
		"no copy waits, and one has failed":            {targets: "u|u61!,u", want: rollout.Turn{Done: true, Wave: 1}},
		"no copy waits, and one has failed that may":   {targets: "u61!,u", maxFailures: "1", want: rollout.Turn{Done: true, Finished: true}},
		"no copy waits, and more have failed than may": {targets: "u61!,u61!", maxFailures: "1", want: rollout.Turn{Done: true}},
		"no copy waits, and one may fail in each wave": {targets: "u61!,u|u61!,u", maxFailures: "50%", want: rollout.Turn{Done: true, Finished: true}},
		"one of an earlier wave has failed, and no copy waits": {
			targets: "u61!|u10!", want: rollout.Turn{Done: false, Size: 1, Failed: 1, Again: now.Add(51 * time.Second)},
		},
		"an earlier wave is held": {
			targets: "u61!|u10!,w", want: rollout.Turn{Held: true, Size: 1, Failed: 1, Again: now.Add(51 * time.Second)},
		},
		"one of an earlier wave was refused": {
			targets: "t61|u10!", want: rollout.Turn{Size: 1, Failed: 1, Again: now.Add(51 * time.Second)},
		},
		"nobody's copy is not healthy": {targets: "l10!,u", want: rollout.Turn{Done: true, Finished: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, healthy(test.maxUnavailable, test.maxFailures, 0).Decide(parse(test.targets), many, now))
		})
	}
}

func TestCopiesNeedNotBeHealthyWithoutADeadline(t *testing.T) {
	strategy := rollout.Strategy{MinReady: func(int) time.Duration { return 0 }}
	assert.Equal(t, rollout.Turn{Next: []int{1}, Size: 1, Wave: 1}, strategy.Decide(parse("u1!|w"), 1, now))
	assert.Nil(t, strategy.Examined(parse("u1,w"), now))
}

func TestWhichCopiesHaveToShowThatTheyAreHealthy(t *testing.T) {
	tests := map[string]struct {
		targets  string
		minReady time.Duration
		want     []int
	}{
		"nothing was changed lately":                       {targets: "u61,u100,u"},
		"changed within the deadline":                      {targets: "u60,u61,u0", want: []int{0, 2}},
		"not ready for longer than the deadline":           {targets: "u99,u101", minReady: 100 * time.Second, want: []int{0}},
		"changed in this rollout":                          {targets: "u100,u200,w300,w250", want: []int{0, 1}},
		"changed in the second of the last one that waits": {targets: "u100,w100", want: []int{0}},
		"not changed in this rollout: the source is back":  {targets: "w100,u300,u101"},
		"the same, in a wave that has begun":               {targets: "u300,w100,u101"},
		"the first copies of a rule":                       {targets: "u100,w", want: []int{0}},
		"a copy with earlier content, within the deadline": {targets: "w10,w100,f20", want: []int{0, 2}},
		"nothing can be changed there":                     {targets: "l10,w100"},
		"of earlier waves, none":                           {targets: "u100|u90,w200", want: []int{1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, healthy("", "", test.minReady).Examined(parse(test.targets), now))
		})
	}
}

func TestWhichCopiesWereChangedInThisRollout(t *testing.T) {
	tests := map[string]struct {
		targets string
		want    []bool
	}{
		"no copy waits":          {"u100,u,l", []bool{true, true, false}},
		"after those that wait":  {"u100|u300,w200|w400", []bool{true, false, false, false}},
		"in the same second":     {"u200,w200", []bool{true, false}},
		"a copy that has failed": {"u200,f100", []bool{false, false}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			targets := parse(test.targets)
			isChanged := rollout.InThisRollout(targets)
			for i, target := range targets {
				assert.Equal(t, test.want[i], isChanged(target), "copy %d", i)
			}
		})
	}
}
