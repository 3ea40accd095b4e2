package env

import (
	"hash/fnv"
	"math/rand/v2"
	"os/exec"
)

// Seed returns the seed of random tests. It is the same whenever the tests of a commit run, so that one that fails in one place fails in all others. Where
// git knows no commit, it is any.
func Seed() uint64 {
	commit, err := exec.Command("git", "-C", Root(), "rev-parse", "HEAD").Output()
	if err != nil {
		return rand.Uint64()
	}
	hash := fnv.New64a()
	_, _ = hash.Write(commit) // it never fails
	return hash.Sum64()
}

// Seeds returns so many numbers to choose from by chance: those that Seed leads to, or others each time; or, if there is one, the wanted number alone.
func Seeds(wanted uint64, count int, other bool) (seeds []uint64) {
	if wanted != 0 {
		return []uint64{wanted}
	}
	chosen := Seed()
	if other {
		chosen = rand.Uint64()
	}
	for rng := rand.New(rand.NewPCG(chosen, 0)); len(seeds) < count; {
		seeds = append(seeds, rng.Uint64N(1<<32))
	}
	return seeds
}
