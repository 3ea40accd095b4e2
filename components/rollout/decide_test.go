package rollout_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/util/intstr"

	"projection.sh/operator/components/rollout"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// limit returns the limit; nil if it is empty.
func limit(text string) *intstr.IntOrString {
	if text == "" {
		return nil
	}
	return new(intstr.Parse(text))
}

// parse reads targets such as "u5,w|w,f,l": those of each wave, by their state and, if they were changed, the seconds since then. A state in
// upper case is that of a busy target; "t" is one that has failed and is not to be tried yet. "!" is a copy that is not healthy.
func parse(text string) []rollout.Target {
	var targets []rollout.Target
	states := map[string]rollout.State{"l": rollout.Left, "u": rollout.Updated, "w": rollout.Waiting, "f": rollout.Failed, "t": rollout.Failed}
	for wave, members := range strings.Split(text, "|") {
		for member := range strings.SplitSeq(members, ",") {
			if member == "" {
				continue
			}
			target := rollout.Target{Wave: wave, State: states[strings.ToLower(member[:1])], Busy: member[0] < 'a', Tried: member[0] == 't'}
			text, unhealthy := strings.CutSuffix(member[1:], "!")
			target.Unhealthy = unhealthy
			if ago, err := strconv.Atoi(text); err == nil {
				target.Changed = now.Add(-time.Duration(ago) * time.Second)
			}
			targets = append(targets, target)
		}
	}
	return targets
}

func TestWhoseTurnItIs(t *testing.T) {
	const many = 100
	tests := map[string]struct {
		targets                     string
		maxUnavailable, maxFailures string
		window                      int
		want                        rollout.Turn
	}{
		"no targets":    {targets: "", window: many, want: rollout.Turn{Done: true, Finished: true}},
		"nothing waits": {targets: "u5,u|u,l", window: many, want: rollout.Turn{Done: true, Finished: true}},
		"only failed are left": {
			targets: "u5,f|u", maxUnavailable: "2", window: many, want: rollout.Turn{Next: []int{1}, Done: true},
		},
		"only failed are left, also of later waves": {
			targets: "u,f|f", window: many, want: rollout.Turn{Next: []int{1}, Held: true, Size: 2, Failed: 1},
		},
		"a failed copy of an earlier wave is tried again": {
			targets: "u,f|w", maxFailures: "1", window: many, want: rollout.Turn{Next: []int{1, 2}, Wave: 1, Size: 1, Allowed: 1},
		},
		"one wave at once": {
			targets: "w,w,w", window: many, want: rollout.Turn{Next: []int{0, 1, 2}, Size: 3},
		},
		"the first alone": {targets: "w,w,w", window: 1, want: rollout.Turn{Next: []int{0}, Size: 3}},
		"the result of a try is not known": {
			targets: "W,w,w", window: 1, want: rollout.Turn{Size: 3},
		},
		"the first wave first": {
			targets: "w,u|w,w", window: many, want: rollout.Turn{Next: []int{0}, Size: 2},
		},
		"a copy is not ready": {
			targets: "u3|w,w", window: many, want: rollout.Turn{Size: 1, Again: now.Add(8 * time.Second)},
		},
		"the last copy of the wave counts": {
			targets: "u3,u1,u2|w", window: many, want: rollout.Turn{Size: 3, Again: now.Add(10 * time.Second)},
		},
		"all are ready": {
			targets: "u11,u|w,w", window: many, want: rollout.Turn{Next: []int{2, 3}, Size: 2, Wave: 1},
		},
		"the second at the end of which it was changed": {
			targets: "u10|w", window: many, want: rollout.Turn{Size: 1, Again: now.Add(time.Second)},
		},
		"an empty wave is finished": {
			targets: "|l|w", window: many, want: rollout.Turn{Next: []int{1}, Size: 1, Wave: 2},
		},
		"as many as may be unavailable": {
			targets: "w,w,w,w", maxUnavailable: "2", window: many, want: rollout.Turn{Next: []int{0, 1}, Size: 4},
		},
		"one is unavailable": {
			targets: "u2,w,w,w", maxUnavailable: "2", window: many,
			want: rollout.Turn{Next: []int{1}, Size: 4, Again: now.Add(9 * time.Second)},
		},
		"the first that is ready makes room": {
			targets: "u2,u1,w,w", maxUnavailable: "2", window: many, want: rollout.Turn{Size: 4, Again: now.Add(9 * time.Second)},
		},
		"a copy with earlier content that is unavailable takes no further slot": {
			targets: "w,w2,w", maxUnavailable: "1", window: many,
			want: rollout.Turn{Next: []int{1}, Size: 3, Again: now.Add(9 * time.Second)},
		},
		"an available copy takes a slot, and one that is unavailable takes none": {
			targets: "w,w,w2", maxUnavailable: "2", window: many,
			want: rollout.Turn{Next: []int{0, 2}, Size: 3, Again: now.Add(9 * time.Second)},
		},
		"no more copies change than may be unavailable": {
			targets: "w2,w2,w2", maxUnavailable: "1", window: many,
			want: rollout.Turn{Next: []int{0}, Size: 3, Again: now.Add(9 * time.Second)},
		},
		"a copy with earlier content that is unavailable waits for one that has changed": {
			targets: "u1,w2", maxUnavailable: "1", window: many, want: rollout.Turn{Size: 2, Again: now.Add(9 * time.Second)},
		},
		"a copy that may be ready by now takes a slot": {
			targets: "w10,w", maxUnavailable: "1", window: many, want: rollout.Turn{Size: 2, Again: now.Add(time.Second)},
		},
		"a clock behind that of the API server": {
			targets: "u-20,w", maxUnavailable: "1", window: many, want: rollout.Turn{Size: 2, Again: now.Add(31 * time.Second)},
		},
		"a part of the wave, rounded down": {
			targets: "w,w,w,w,w", maxUnavailable: "50%", window: many, want: rollout.Turn{Next: []int{0, 1}, Size: 5},
		},
		"at least one":                       {targets: "w,w,w", maxUnavailable: "10%", window: many, want: rollout.Turn{Next: []int{0}, Size: 3}},
		"all in the first wave":              {targets: "w,w||", window: many, want: rollout.Turn{Next: []int{0, 1}, Size: 2}},
		"all in the first wave, and changed": {targets: "u11,u11||", window: many, want: rollout.Turn{Done: true, Finished: true}},
		"at least one, if 0%":                {targets: "w,w,w", maxUnavailable: "0%", window: many, want: rollout.Turn{Next: []int{0}, Size: 3}},
		"at least one, if 0":                 {targets: "w,w,w", maxUnavailable: "0", window: many, want: rollout.Turn{Next: []int{0}, Size: 3}},
		"nobody's target":                    {targets: "l,w,l,w", maxUnavailable: "50%", window: many, want: rollout.Turn{Next: []int{1}, Size: 2}},
		"held by a failed copy":              {targets: "f,w,w", window: many, want: rollout.Turn{Next: []int{0}, Held: true, Size: 3, Failed: 1}},
		"held in an earlier wave":            {targets: "f,u|w", window: many, want: rollout.Turn{Next: []int{0}, Held: true, Size: 2, Failed: 1}},
		"held, and all may be unavailable that are": {
			targets: "f,u2,w", maxUnavailable: "1", window: many,
			want: rollout.Turn{Held: true, Size: 3, Failed: 1, Again: now.Add(9 * time.Second)},
		},
		"a failed copy is allowed": {
			targets: "f,w,w", maxFailures: "1", window: 1, want: rollout.Turn{Next: []int{0, 1}, Size: 3, Failed: 1, Allowed: 1},
		},
		"a wave with as many failed copies as allowed is finished": {
			targets: "f,u|w", maxFailures: "50%", window: many, want: rollout.Turn{Next: []int{0, 2}, Size: 1, Wave: 1},
		},
		"a part of the wave that is less than one copy": {
			targets: "f,w,w", maxFailures: "10%", window: many, want: rollout.Turn{Next: []int{0}, Held: true, Size: 3, Failed: 1},
		},
		"a failed copy that is not to be tried yet takes no slot": {
			targets: "t,w,w", maxUnavailable: "1", maxFailures: "1", window: many, want: rollout.Turn{Next: []int{1}, Size: 3, Failed: 1, Allowed: 1},
		},
		"only failed copies are left, without a slot": {
			targets: "f,u1", maxUnavailable: "1", window: many, want: rollout.Turn{Again: now.Add(10 * time.Second), Done: true},
		},
		"only copies are left that are not to be tried yet": {
			targets: "t,u1", maxUnavailable: "1", maxFailures: "1", window: many, want: rollout.Turn{Done: true},
		},
		"a failed copy of a later wave is not tried": {
			targets: "w|f", window: many, want: rollout.Turn{Next: []int{0}, Size: 1},
		},
		"a failed copy that is being tried": {targets: "F,w", window: many, want: rollout.Turn{Held: true, Size: 2, Failed: 1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			strategy := rollout.Strategy{
				MinReady:       func(int) time.Duration { return 10 * time.Second },
				MaxUnavailable: limit(test.maxUnavailable), MaxFailures: limit(test.maxFailures),
			}
			assert.Equal(t, test.want, strategy.Decide(parse(test.targets), test.window, now))
		})
	}
}

func TestCopiesAreReadyAtOnceWithoutMinReady(t *testing.T) {
	strategy := rollout.Strategy{MinReady: func(wave int) time.Duration { return time.Duration(wave) * 10 * time.Second }}
	turn := strategy.Decide(parse("u0|u1|w"), 1, now)
	assert.Equal(t, rollout.Turn{Size: 1, Wave: 1, Again: now.Add(10 * time.Second)}, turn, "the wave has its own time")
}
