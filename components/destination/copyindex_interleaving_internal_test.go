package destination

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// interleavingDepth is how many steps TestEveryInterleaving goes from each of its starts. It takes some seconds without the race detector.
const interleavingDepth = 6

// TestEveryInterleaving takes every sequence of steps up to interleavingDepth, and compares the index after each step with the world
// of the model. Worlds that differ in numbers alone are gone on from once.
//
// The API server's storage is not restored here, no time passes, and a request that has failed is not served any more.
func TestEveryInterleaving(t *testing.T) {
	for name, start := range modelStarts(t) {
		t.Run(name, func(t *testing.T) { explore(t, start) })
	}
}

// modelStarts returns the worlds to begin with.
func modelStarts(t *testing.T) map[string]*model {
	t.Helper()
	path := func(names ...string) *model {
		m := newModel()
		for _, name := range names {
			i := slices.IndexFunc(steps(), func(s step) bool { return s.name == name })
			require.GreaterOrEqual(t, i, 0, name)
			require.True(t, steps()[i].may(m), name)
			steps()[i].do(m)
			require.Empty(t, wrong(m), name)
		}
		return m
	}
	write := []string{"a wants content", "the API server serves a", "the watch tells", "a has its answer"}
	change := []string{"somebody changes a field", "the watch tells"}
	backoff := write
	for range immediateRepairs {
		backoff = slices.Concat(backoff, change, write)
	}
	return map[string]*model{
		"nothing":                        path(),
		"a copy in sync":                 path(write...),
		"a copy that was given":          path(slices.Concat(write, []string{"somebody gives it to the other rule", "the watch tells"})...),
		"a copy of a rule that followed": path(slices.Concat(write, []string{"somebody deletes it", "b wants content", "the watch tells", "the API server serves b"})...),
		"a copy whose repair backs off":  path(slices.Concat(backoff, change, []string{"a wants content"})...),
	}
}

// visited is a world, and how it came about.
type visited struct {
	*model
	path []uint8
}

func explore(t *testing.T, start *model) {
	t.Helper()
	all := steps()
	seen := map[uint64]bool{start.fingerprint(): true}
	taken := make([]int, len(all))
	frontier := []visited{{model: start}}
	for depth := 1; depth <= interleavingDepth; depth++ {
		var next []visited
		for _, from := range frontier {
			for i, step := range all {
				if !step.may(from.model) {
					continue
				}
				to := visited{from.clone(), append(slices.Clip(from.path), uint8(i))}
				step.do(to.model)
				taken[i]++
				if problem := wrong(to.model); problem != "" {
					require.Fail(t, problem, "after: %s", describe(all, to.path))
				}
				if depth == interleavingDepth {
					continue
				}
				if key := to.fingerprint(); !seen[key] {
					seen[key] = true
					next = append(next, to)
				}
			}
		}
		frontier = next
	}
	for i, step := range all {
		assert.Positive(t, taken[i], "never taken: %s", step.name)
	}
}

func describe(all []step, path []uint8) string {
	names := make([]string, len(path))
	for i, n := range path {
		names[i] = all[n].name
	}
	return strings.Join(names, "; ")
}

// wrong says what is wrong in the world; empty if nothing is.
func wrong(m *model) string {
	if problem := wrongIndexes(m.index); problem != "" {
		return problem
	}
	if m.problem != "" || len(m.pending) > 0 {
		return m.problem
	}
	if problem := wrongState(m); problem != "" {
		return problem
	}
	for _, rule := range []ruleNo{ruleA, ruleB} {
		if problem := wrongRule(m, rule); problem != "" {
			return fmt.Sprintf("%s: %s", rule.key(), problem)
		}
	}
	return ""
}

// wrongRule says what is wrong about what the rule was told; nothing more is to be told.
func wrongRule(m *model, rule ruleNo) string {
	for _, hash := range []string{"content", "other", rule.anyContent()} {
		if m.clone().index.setDesired(at, rule.key(), hash, rule.fields()) && !m.object.isCopy(rule, hash) {
			return "the copy is said to be in sync, and is not"
		}
	}
	told := m.beliefs[rule]
	e, known := m.index.entries[at]
	_, backingOff := m.index.repairs.backingOff(at)
	expected := known && e.desiredBy == rule.key() && e.inSync() || backingOff || m.requests[rule].underWay
	switch {
	case told.inSync != "" && !m.object.isCopy(rule, told.inSync):
		return "the copy is not in sync any more, and the rule was not enqueued"
	case told.failed != "" && told.changed && !backingOff && !m.object.isCopy(rule, told.failed):
		return "somebody has changed the copy since the rule failed to write it, and the rule was not enqueued"
	case m.given[rule] && m.object.visible() && !expected:
		return "the object has come to name the rule, and the rule was not enqueued"
	}
	return ""
}

// wrongState compares what is known of the object with the object, of which everything was told.
func wrongState(m *model) string {
	e, known := m.index.entries[at]
	if !m.object.visible() {
		if known && e.Exists() {
			return "an object is known that is not there"
		}
		return ""
	}
	if forgotten := m.object.owner == nobody && (!known || !e.Exists()); forgotten { // it concerns no rule
		return ""
	}
	if !known || e.State != m.object.state() {
		return "the object is not known as it is"
	}
	return ""
}

// wrongIndexes compares the indexes with the entries that they are of.
func wrongIndexes(x *copyIndex) string {
	owned, foreign, missing := placeIndex{}, placeIndex{}, placeIndex{}
	for at, e := range x.entries {
		switch named := e.namedOwner(); {
		case !e.namesOwner() && e.desired == "":
			return "an entry is kept for nothing"
		case !e.Exists():
			missing.add(e.desiredBy, at)
		case e.Proven && e.Owner.Name != "":
			owned.add(e.Owner, at)
		case named.Name != "":
			foreign.add(named, at)
		}
		if _, repaired := x.repairs.copies[at]; repaired && e.desired == "" {
			return "repairs are remembered of a copy that nobody wants"
		}
	}
	same := func(a, b placeIndex) bool { return maps.EqualFunc(a, b, maps.Equal) }
	if !same(owned, x.byOwner) || !same(foreign, x.foreign) || !same(missing, x.missing) {
		return "an index is not that of the entries"
	}
	return ""
}
