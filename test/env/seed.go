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
