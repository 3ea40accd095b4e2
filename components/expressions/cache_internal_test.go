package expressions

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counting compiles texts, and counts how often.
type counting struct{ compiled atomic.Int32 }

func (c *counting) compile(text string) (*Expression, error) {
	c.compiled.Add(1)
	return ofRules.compileNew(text)
}

func TestTextIsCompiledOnce(t *testing.T) {
	known, counting := newCache(100), &counting{}
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			expression, err := known.get("a", "target.name", counting.compile)
			assert.True(t, err == nil && expression.Names().Target, "%v", err)
		})
	}
	callers.Wait()
	assert.EqualValues(t, 1, counting.compiled.Load(), "whoever comes next waits")

	_, err := known.get("a", "1 +", counting.compile)
	require.ErrorContains(t, err, "Syntax error")
	_, err = known.get("b", "1 +", counting.compile)
	require.ErrorContains(t, err, "Syntax error")
	assert.EqualValues(t, 2, counting.compiled.Load(), "mistakes are known, too")
}

// A tenant with many expressions, or with large ones, loses those that it has not used for the longest time, and nobody else loses any.
func TestTenantsDoNotEvictTheExpressionsOfOthers(t *testing.T) {
	known, counting := newCache(100), &counting{}
	get := func(tenant, text string) (compiled bool) {
		before := counting.compiled.Load()
		_, err := known.get(tenant, text, counting.compile)
		require.NoError(t, err)
		return counting.compiled.Load() > before
	}
	get("small", "target.name + '-small'")
	for i := range 100 {
		get("many", fmt.Sprintf("target.name + '-%d'", i))
	}
	assert.False(t, get("small", "target.name + '-small'"))
	assert.False(t, get("many", "target.name + '-99'"), "what was used last")
	assert.True(t, get("many", "target.name + '-0'"))
	get("large", strings.Repeat("1 + ", 40)+"1")
	assert.False(t, get("small", "target.name + '-small'"))
	get("large", strings.Repeat("2 + ", 200)+"2")
	assert.False(t, get("small", "target.name + '-small'"))
	assert.LessOrEqual(t, known.weight, known.limit)
	assert.Len(t, known.known, func() (texts int) {
		for _, held := range known.of {
			texts += held.texts.Len()
		}
		return texts
	}())
}

// What is kept of texts of any shape takes no more memory than maxCompiled says. A tenth of it is filled.
func TestMemoryOfTheCacheIsBounded(t *testing.T) {
	for name, text := range map[string]func(i int) string{
		"lines":    func(i int) string { return fmt.Sprintf("%d%s", i, strings.Repeat("\n", 1000)) },
		"a text":   func(i int) string { return fmt.Sprintf("'%d%s'", i, strings.Repeat("a", 1000)) },
		"parts":    func(i int) string { return fmt.Sprintf("%d%s", i, strings.Repeat("+1", 400)) },
		"mistakes": func(i int) string { return fmt.Sprintf("%d%s", i, strings.Repeat("-", 1000)) },
		"short":    strconv.Itoa,
	} {
		const part = 10
		known := newCache(maxCompiled / part)
		before := heap()
		for i := 0; known.weight < known.limit*9/10; i++ {
			_, _ = known.get("tenant", text(i), ofRules.compileNew)
		}
		t.Logf("%s: %d texts, %d KiB", name, len(known.known), (heap()-before)>>10)
		assert.Less(t, heap()-before, int64(16<<20/part), name)
		runtime.KeepAlive(known)
	}
}

func heap() int64 {
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return int64(memory.HeapAlloc)
}

func TestTextThatSeveralTenantsUseIsHeldByTheLast(t *testing.T) {
	known := newCache(1000)
	for _, tenant := range []string{"a", "b"} {
		_, err := known.get(tenant, "target.name", ofRules.compileNew)
		require.NoError(t, err)
	}
	assert.NotContains(t, known.of, "a")
	assert.Equal(t, known.weight, known.of["b"].weight)
}

func TestFailureThatSaysNothingAboutTheTextIsNotKept(t *testing.T) {
	known, failure := newCache(1000), errors.New("no environment")
	_, err := known.get("a", "1", func(string) (*Expression, error) { return nil, failure })
	require.ErrorIs(t, err, failure)
	_, err = known.get("a", "1", ofRules.compileNew)
	require.NoError(t, err)
	assert.Panics(t, func() {
		_, _ = known.get("a", "2", func(string) (*Expression, error) { panic("a fault of the library") })
	})
	_, err = known.get("a", "2", ofRules.compileNew)
	require.ErrorIs(t, err, errNotCompiled)
	_, err = known.get("a", "2", ofRules.compileNew)
	require.NoError(t, err)
}
