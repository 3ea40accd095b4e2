package crash_test

import (
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	thorough = flag.Bool("thorough", false, "disturb each story at every write, and spoil each read both while the operator runs and while it starts")
	seed     = flag.Uint64("seed", 0, "chooses at which write each story is disturbed, and what changes meanwhile; 0: chosen by the commit")
)

const (
	// maxWrites is more than any story takes.
	maxWrites = 25
	// fewWrites is about what a story takes.
	fewWrites = 8
)

// chooser returns what the test chooses by. The seed and the name of the test settle its choices; how to make them again is in
// the log of the test.
func chooser(t *testing.T) *rand.Rand {
	t.Helper()
	name := fnv.New64a()
	_, _ = name.Write([]byte(t.Name())) // never fails
	more := ""
	if *thorough {
		more = " -thorough"
	}
	pattern := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	t.Logf("to make the same choices again: make test PACKAGES=./test/crash TESTFLAGS='-count=1 -run=%s -seed=%d%s'", pattern, *seed, more)
	return rand.New(rand.NewPCG(*seed, name.Sum64()))
}

// atWrites disturbs a story at one of its writes, which is chosen; with -thorough, at the first, at the one a step later, and
// so on. The function reports whether the story came so far, and if not, returns how many writes it took.
func atWrites(t *testing.T, choose *rand.Rand, step int, disturb func(write int) (came bool, writes int)) {
	t.Helper()
	if *thorough {
		write := 1
		for came := true; came; write += step {
			require.Less(t, write, maxWrites, "the story does not end")
			came, _ = disturb(write)
		}
		require.Greater(t, write, 1+step, "the story has no writes")
		return
	}
	write := 1 + choose.IntN(fewWrites)
	came, writes := disturb(write)
	if came {
		return
	}
	require.Positive(t, writes, "the story has no writes")
	for write = 1 + (write-1)%writes; !came; write-- { // it may take fewer the next time
		require.Positive(t, write, "the story has no writes")
		came, _ = disturb(write)
	}
}
