package expressions_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/expressions"
)

// large is a source as large as the API server stores.
func large() map[string]any {
	elements := make([]any, 20_000)
	keys := make(map[string]any, 5_000)
	for i := range elements {
		elements[i] = int64(i)
	}
	for i := range 5_000 {
		keys[fmt.Sprintf("key-%d", i)] = "value"
	}
	return map[string]any{
		"text": strings.Repeat("a", 200_000), "list": elements, "keys": keys, "empty": "",
		"nested": strings.Repeat("(a*)*", 1000), "numbers": strings.Repeat("1", 100_000),
	}
}

// Whoever may write a rule can have the operator evaluate any expression over a source of his. None of these may take much time or
// memory: without limits, each would take all that there is.
func TestNoExpressionIsExpensive(t *testing.T) {
	source := expressions.Source{Object: large()}
	many := func(element string) string { return strings.Repeat(element+",", 15) + element }
	for name, text := range map[string]string{
		"a replacement of each character by all":   "source.text.replace('a', source.text)",
		"a replacement between all characters":     "source.text.replace('', source.text)",
		"with a limit":                             "source.text.replace('a', source.text, 100000)",
		"a long separator":                         "source.list.map(i, 'a').join(source.text)",
		"a separator of keys":                      "[source.keys].map(k, k.map(x, x).join(source.text))[0]",
		"an addition that doubles a text":          "[source.text+source.text].map(a, [a+a+a+a].map(b, size(b+b+b+b)))",
		"an addition that doubles a list":          "[source.list].map(l0, " + doubled(2) + ")",
		"literals that hold a list often":          "[[" + many("source.list") + "]].map(a, [[" + many("a") + "]].map(b, b == b))",
		"literals that hold a map often":           "[[" + many("{'a': source.keys}") + "]].map(a, [[" + many("a") + "]].map(b, b == b))",
		"a comparison in each step":                "source.list.map(i, source == source)",
		"a literal in each step":                   "source.list.all(i, size([source]) == 1)",
		"a search in each step":                    "source.list.all(i, !(-1 in source.list))",
		"a loop that begins a loop":                "source.list.all(i, source.keys.exists(k, true))",
		"loops":                                    "source.list.map(a, source.list.map(b, source.list.map(c, c)))",
		"texts that are added":                     "[source.text].map(s, size(" + strings.Repeat("s+", 60) + "s))",
		"texts that are split":                     "source.list.all(i, source.text.split('').size() > 0)",
		"texts that are contained":                 "source.text.contains(source.text)",
		"a pattern with repetitions":               "source.list.all(i, source.text.matches('((a{9}){9}b)*c'))",
		"a pattern that is compiled in each step":  "source.list.all(i, !'b'.matches('(a{15}){15}'))",
		"lists that are added and searched":        "-1 in (" + strings.Repeat("source.list+", 60) + "source.list)",
		"the length of a text in a loop":           "source.list.all(i, size(source.text) > 0)",
		"a large result":                           "source",
		"a result that holds the same value often": "source.list.map(i, source.text)",
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			_, _, err := evaluate(expressions.Field{Path: "spec.value", Expression: text}, source, tenant)
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			t.Logf("%v, %d MiB: %v", took, (after.TotalAlloc-before.TotalAlloc)>>20, err)
			require.Error(t, err)
			failed, ok := errors.AsType[*expressions.EvaluationError](err)
			require.True(t, ok, "%v", err)
			assert.Contains(t, []expressions.Cause{expressions.TooCostly, expressions.NotConvertible}, failed.Cause, "%v", err)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(256<<20))
		})
	}
}

// A comparison of a large value with a small one ends at once, and to find its price does, too.
func TestComparisonWithASmallValueIsCheap(t *testing.T) {
	for _, text := range []string{"source.list.all(i, source.keys != 1)", "source.list.all(i, source.keys != {})", "source.list.all(i, source.list != [i])"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := evaluate(expressions.Field{Path: "spec.value", Expression: text}, expressions.Source{Object: large()}, tenant)
		runtime.ReadMemStats(&after)
		require.NoError(t, err, text)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), text)
	}
}

// doubled is an expression that makes the list l0 sixteen times as long, as often.
func doubled(times int) string {
	var text strings.Builder
	for i := range times {
		fmt.Fprintf(&text, "[%sl%d].map(l%d, ", strings.Repeat(fmt.Sprintf("l%d + ", i), 15), i, i+1)
	}
	fmt.Fprintf(&text, "size(l%d)%s", times, strings.Repeat(")", times))
	return text.String()
}

// A call that costs too much is refused before it is made. Without that, this one would allocate 10 MB.
func TestLiteralsAndCallsArePaidInAdvance(t *testing.T) {
	source := expressions.Source{Object: map[string]any{"text": strings.Repeat("a", 10_000), "other": strings.Repeat("b", 1100)}}
	_, _, err := evaluate(expressions.Field{Path: "v", Expression: "size(source.text.replace('a', source.other))"}, source, tenant)
	requireCause(t, expressions.TooCostly, err)
	value, _, err := evaluate(expressions.Field{Path: "v", Expression: "size(source.text.replace('a', 'bb'))"}, source, tenant)
	require.NoError(t, err)
	assert.Equal(t, int64(20_000), value)
}

// The time and the memory that it takes to compile an expression are bounded by the language.
func TestNoExpressionIsExpensiveToCompile(t *testing.T) {
	types := func(levels int) string {
		text, before := "1", "1"
		for i := range levels {
			text = strings.Replace(text, "1", fmt.Sprintf("[{%s: %s}].map(v%d, 1)", before, before, i), 1)
			before = fmt.Sprintf("v%d", i)
		}
		return text
	}
	for name, text := range map[string]string{
		"links of optMap":               "optional.of(1)" + strings.Repeat(".optMap(a,a)", 80),
		"links of optFlatMap":           "optional.of(1)" + strings.Repeat(".optFlatMap(a,optional.of(a))", 30),
		"parentheses":                   strings.Repeat("(", 500) + "1" + strings.Repeat(")", 500),
		"nested lists":                  strings.Repeat("[", 500) + strings.Repeat("]", 500),
		"lists":                         "[" + strings.Repeat("[],", 340) + "[]]",
		"maps":                          "[" + strings.Repeat("{},", 340) + "{}]",
		"loops":                         strings.Repeat("[].all(a,a)&&", 70) + "true",
		"types that double":             types(24),
		"types that double three times": "[{1:1}].map(a,[{a:a}].map(b,[{b:b}].map(c,1)))",
		"types in texts":                "[{string(1):1}].map(a,[{a:a}].map(b,1))",
		"messages":                      "google.protobuf.ListValue{values: source.list}",
		"numbers":                       "quantity('1e2147483648').asApproximateFloat() > 0",
		"a place in a text":             "source.text.lastIndexOf(source.same)",
		"a time zone":                   "timestamp('2024-02-29T12:00:00Z').getHours('Local')",
		"a pattern of the source":       "source.text.matches(source.pattern)",
		"a large pattern":               "source.text.matches('(?:" + strings.Repeat("a", 900) + "){1000}')",
		"a short pattern":               "source.text.matches('(a{30}){30}b{999}')",
		"nested patterns":               "'a'.matches('" + strings.Repeat("(", 60) + "a" + strings.Repeat("){9}", 49) + strings.Repeat(")", 11) + "')",
		"elements":                      "source" + strings.Repeat("[0]", 300),
		"deep lists":                    strings.Repeat("[", 80) + strings.Repeat("]", 80),
		"deep types over loops": nestedLists(18, strings.Repeat("optional.of(", 24)+"1"+strings.Repeat(")", 24)) +
			".map(a," + nestedLists(18, "a") + ".map(b," + nestedLists(18, "b") + ".map(c,[" + strings.Repeat("c,", 300) + "c])))",
		"deep types":           nestedLists(18, "1") + ".map(a," + nestedLists(18, "a") + ".map(b," + nestedLists(18, "b") + ".map(c,c)))",
		"deep optional values": strings.Repeat("optional.of(", 78) + "1" + strings.Repeat(")", 78),
		"deep maps":            strings.Repeat("{'a':", 80) + "1" + strings.Repeat("}", 80),
		"a long text":          strings.Repeat("1+", 600) + "1",
	} {
		_, err := measured(t, name, text)
		var refused *expressions.CompileError
		require.ErrorAs(t, err, &refused, name)
		assert.Less(t, len(err.Error()), 1000, name)
	}
	for name, text := range map[string]string{
		"additions":     strings.Repeat("1+", 240) + "1",
		"comparisons":   strings.Repeat("1==1||", 150) + "true",
		"nothing":       "[" + strings.Repeat("optional.none(),", 60) + "optional.none()]",
		"choices":       strings.Repeat("true?1:", 120) + "1",
		"lists":         "[" + strings.Repeat("[],", 90) + "[]]",
		"nested lists":  strings.Repeat("[", 15) + strings.Repeat("]", 15),
		"nested maps":   strings.Repeat("{'a':", 15) + "1" + strings.Repeat("}", 15),
		"wide maps":     "[" + strings.Repeat("{'a':{'a':{'a':{'a':1}}}},", 23) + "{'a':{'a':{'a':{'a':1}}}}]",
		"many values":   "[" + strings.Repeat("1,", 480) + "1]",
		"elements":      "source" + strings.Repeat("[0]", 100),
		"fields":        "source" + strings.Repeat(".a", 200),
		"sums of lists": strings.Repeat("[]+", 90) + "[]",
		"loops":         "[[[1]]].map(a,a.map(b,b.map(c," + strings.Repeat("c+", 200) + "c)))",
		"large types":   "[{'a': 1}].map(a,[{'a': a, 'b': a}].map(b,[[[{'a': [[b]]}]]].map(c,[c,c,c,c])))",
		"deep types":    nestedLists(13, "1") + ".map(c,[" + strings.Repeat("c,", 400) + "c])",
		"a pattern":     "'a'.matches('" + strings.Repeat("[a-z]", 50) + "')",
	} {
		kept, err := measured(t, name, text)
		require.NoError(t, err, name)
		require.NotNil(t, kept)
	}
}

// nestedLists is the text in so many brackets.
func nestedLists(levels int, text string) string {
	return strings.Repeat("[", levels) + text + strings.Repeat("]", levels)
}

// measured compiles the text. It may take 8 MiB; what is kept is less.
func measured(t *testing.T, name, text string) (*expressions.Expression, error) {
	t.Helper()
	var before, after runtime.MemStats
	_, err := expressions.Compile("tenant", "1") // with the environment
	require.NoError(t, err)
	runtime.ReadMemStats(&before)
	compiled, err := expressions.Compile("tenant", text)
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	assert.Less(t, allocated, uint64(8<<20), name)
	return compiled, err
}
