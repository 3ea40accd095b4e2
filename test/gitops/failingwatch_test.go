package gitops_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// TestFailingWatchIsCountedAsLongAsARuleNeedsIt names a kind that the manager may not read.
func TestFailingWatchIsCountedAsLongAsARuleNeedsIt(t *testing.T) {
	w := newWorld(t)
	settles(v1.ReasonProjected, source, projection)(w) // the manager is at work
	failing := func(count float64) {
		t.Helper()
		require.Eventuallyf(t, func() bool { return gauge(t, "projection_watches_failing") == count }, env.Timeout, env.Interval, "%v are to fail", count)
	}
	failing(0)
	rule := settles(v1.ReasonSourceFetchFailed, strings.Replace(unreadable, "name: rule", "name: blind", 1))(w)
	failing(1)
	w.ends(rule)
	failing(0)
}

// TestFailingWatchIsCountedUntilItFollows gives the manager the right to read a kind, which a rule waits for.
func TestFailingWatchIsCountedUntilItFollows(t *testing.T) {
	w := newWorld(t)
	rule := settles(v1.ReasonSourceFetchFailed, of(projection, "group: batch, kind: Job, namespace: $HOME, name: it"))(w)
	before := gauge(t, "projection_watches_failing")
	require.GreaterOrEqual(t, before, 1.0)

	w.permit("batch", "jobs")
	w.says(rule, v1.ReasonSourceNotFound)
	require.Less(t, gauge(t, "projection_watches_failing"), before)
	w.ends(rule)
}
