// Package histories makes random histories: what happens in them is chosen by chance, and can be made again.
package histories

import (
	"flag"
	"fmt"
	"math/rand/v2"

	"projection.sh/operator/test/env"
)

// Flags say which histories a test makes.
type Flags struct {
	// Seed is that of the only history; 0: there are several.
	Seed *uint64
	// Steps is how many steps a history has.
	Steps *int

	count *int
	other *bool
}

// NewFlags defines the flags of a test binary, with so many steps and histories unless they say otherwise.
func NewFlags(steps, count int) Flags {
	return Flags{
		Seed:  flag.Uint64("seed", 0, "seed of the only history; 0: as many as -histories, with seeds that are chosen by the commit"),
		Steps: flag.Int("steps", steps, "steps of each history"),
		count: flag.Int("histories", count, "histories to try"),
		other: flag.Bool("other-histories", false, "choose seeds at random, and not by the commit"),
	}
}

// Name names a history by the flags that make it again.
func (f Flags) Name(seed uint64) string { return fmt.Sprintf("-seed=%d -steps=%d", seed, *f.Steps) }

// Seeds returns those of the histories.
func (f Flags) Seeds() (seeds []uint64) {
	if *f.Seed != 0 {
		return []uint64{*f.Seed}
	}
	chosen := env.Seed()
	if *f.other {
		chosen = rand.Uint64()
	}
	for rng := rand.New(rand.NewPCG(chosen, 0)); len(seeds) < *f.count; {
		seeds = append(seeds, rng.Uint64N(1<<32))
	}
	return seeds
}

// Choose returns one of the actions, more often the greater its weight is.
func Choose[A any](rng *rand.Rand, actions []A, weight func(A) int) A {
	total := 0
	for _, action := range actions {
		total += weight(action)
	}
	n := rng.IntN(total)
	for _, action := range actions {
		if n -= weight(action); n < 0 {
			return action
		}
	}
	panic("the weights have changed meanwhile")
}
