package expressions

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/cel/library"
)

// costsOf returns what an expression costs here, and what it costs in the API server.
func costsOf(t *testing.T, text string, source map[string]any) (ours, theirs uint64) {
	t.Helper()
	const enough = 1 << 40
	expression, err := ofRules.compileNew(text)
	require.NoError(t, err, text)
	spent := &meter{limit: enough}
	_, _ = expression.evaluate(source, costTarget, spent)

	env, err := ofRules.load()
	require.NoError(t, err)
	checked, issues := env.Compile(text)
	require.NoError(t, issues.Err())
	program, err := env.Program(checked, cel.CostTracking(&library.CostEstimator{}), cel.CostLimit(enough))
	if err != nil { // a constant that cannot be converted
		return spent.cost, 0
	}
	_, details, _ := program.Eval(map[string]any{sourceVariable: source, targetVariable: map[string]any{
		nameField: costTarget.Name, labelsField: costTarget.Labels, annotationsField: costTarget.Annotations,
	}})
	return spent.cost, *details.ActualCost()
}

var costTarget = Target{
	Name: "tenant-a", Labels: map[string]string{"team": "a", "tier": "large", "replicas": "3"}, Annotations: map[string]string{"contact": "a@example.com"},
}

// calls are calls of each function of the language, over a source with texts and lists of some size.
var calls = map[string][]string{
	"!_":            {"!source.no"},
	"-_":            {"-source.one"},
	"_!=_":          {"source.text != source.same", "source.list != source.others", "source.map != source.map"},
	"_%_":           {"source.one % 2"},
	"_&&_":          {"source.yes && source.text == source.same"},
	"_*_":           {"source.one * 2"},
	"_+_":           {"source.text + source.same", "b'a' + b'b'", "source.list + source.others", "source.one + 1", "source.list.map(i, i) + [1] + [2]"},
	"_-_":           {"source.one - 1"},
	"_/_":           {"source.one / 1"},
	"_<=_":          {"source.text <= source.same", "source.one <= 2"},
	"_<_":           {"source.text < source.same", "b'a' < b'b'"},
	"_==_":          {"source.text == source.same", "source.list == source.others", "source == source"},
	"_>=_":          {"source.text >= source.same"},
	"_>_":           {"source.text > source.same"},
	"_?._":          {"source.?text", "source.?none", "source.?map.?a"},
	"_?_:_":         {"source.yes ? source.text : source.same", "source.yes ? source.map.a : source.map.b", "(source.yes ? source.map : source).a"},
	"_[?_]":         {"source.list[?1]", "source.map[?source.key]"},
	"_[_]":          {"source.list[1]", "source.map[source.key]", "source['te' + 'xt']", "source.list[source.list[source.one]]", "[1, 2][source.one]"},
	"_||_":          {"source.no || source.text == source.same"},
	"@in":           {"7 in source.list", "'a' in source.map", "source.text in [source.same]"},
	"contains":      {"source.text.contains(source.part)"},
	"dyn":           {"dyn(source.text)"},
	"endsWith":      {"source.text.endsWith(source.same)"},
	"hasValue":      {"optional.of(source.text).hasValue()"},
	"int":           {"int('7')", "int(source.digits)", "int(1.5)"},
	"join":          {"source.texts.join()", "source.texts.join(source.part)"},
	"lowerAscii":    {"source.text.lowerAscii()"},
	"matches":       {"source.text.matches('^x*$')", "matches(source.text, '(x|y)+')", "source.text.matches('(x{9}){9}')"},
	"optional.none": {"optional.none()"},
	"optional.of":   {"optional.of(source.text)"},
	"or":            {"source.?none.or(source.?text)"},
	"orValue":       {"source.?none.orValue(source.text)"},
	"replace":       {"source.text.replace('x', 'yy')", "source.text.replace('', source.part)", "source.text.replace('x', 'z', 3)"},
	"size":          {"size(source.text)", "source.list.size()", "source.map.size()"},
	"split":         {"source.text.split('x')", "source.text.split('', 900)"},
	"startsWith":    {"source.text.startsWith(source.same)"},
	"string":        {"string(1)", "string(b'abc')", "string(source.yes)"},
	"substring":     {"source.text.substring(3)", "source.text.substring(3, 900)"},
	"trim":          {"source.text.trim()"},
	"upperAscii":    {"source.text.upperAscii()"},
	// These are macros and literals.
	"@not_strictly_false": {"source.list.all(i, i >= 0)", "source.list.exists(i, source.text == source.part)", "source.map.all(k, k != '')"},
	"map":                 {"source.list.map(i, i + 1)", "source.list.map(i, i > 3, i + 1)", "source.map.map(k, k)", "source.list.filter(i, i > 3)"},
	"has":                 {"has(source.text)", "has(source.map.a)", "has(source.map.z)"},
	"no call":             {"source", "1", "source.map.a", "[source.text, source.same]", "{'a': source.text}", "[?source.?none]", "{?'a': source.?text}"},
}

func costSource() map[string]any {
	list, others, texts := make([]any, 1000), make([]any, 1000), make([]any, 200)
	for i := range list {
		list[i], others[i] = int64(i), int64(i)
	}
	for i := range texts {
		texts[i] = strings.Repeat("y", 37)
	}
	return map[string]any{
		"text": strings.Repeat("x", 997) + "y", "same": strings.Repeat("x", 997) + "y", "part": strings.Repeat("x", 51), "key": "a", "one": int64(1),
		"yes": true, "no": false, "list": list, "others": others, "texts": texts, "map": map[string]any{"a": "b", "b": "c", "c": "d"},
		"digits": strings.Repeat("7", 300), "address": "10.1.2.3", "url": "https://example.com:8443/a?b=c",
	}
}

// TestLanguageIsAPartOfThatOfKubernetes says of each function of Kubernetes 1.32 whether it is in the language. A newer library may have others,
// which are not.
func TestLanguageIsAPartOfThatOfKubernetes(t *testing.T) {
	env, err := ofRules.load()
	require.NoError(t, err)
	for name := range functions {
		assert.Contains(t, env.Functions(), name)
		assert.Contains(t, calls, name, "what does it cost?")
	}
	refused := 0
	for name := range env.Functions() {
		if functions[name] || !callable.MatchString(name) || name == "in" || name == "namespace" {
			continue
		}
		refused++
		for _, text := range []string{name + "()", name + "(1)", name + "(1, 2)", name + "(source, source, source)"} {
			_, err := ofRules.compileNew(text)
			require.ErrorAs(t, err, new(*CompileError), text)
			if !strings.HasPrefix(name, "sets.contains") { // before its types are checked, it is a call of contains
				require.ErrorContains(t, err, "is not supported in expressions", text)
			}
			if !strings.Contains(name, ".") {
				_, err = ofRules.compileNew("source." + text)
				require.ErrorContains(t, err, "is not supported in expressions", text)
			}
		}
	}
	assert.Greater(t, refused, 60)
	_, err = ofRules.compileNew("sets.contains([1], [1])")
	require.EqualError(t, err, "the function sets.contains is not supported in expressions")
}

// callable matches the names of functions that are no operators. Of the others, in is one, and namespace is a reserved word.
var callable = regexp.MustCompile(`^[a-z][A-Za-z0-9.]*$`)

// TestNothingIsCheaperThanInTheAPIServer compares the cost of each function with that of the library.
func TestNothingIsCheaperThanInTheAPIServer(t *testing.T) {
	source := costSource()
	for name, texts := range calls {
		for _, text := range texts {
			ours, theirs := costsOf(t, text, source)
			assert.GreaterOrEqual(t, ours, theirs, "%s: %s", name, text)
		}
	}
}

// The expressions that describe the language, which nest functions, likewise.
func TestNoExpressionOfTheLanguageIsCheaperThanInTheAPIServer(t *testing.T) {
	content, err := os.ReadFile("testdata/expressions.txt")
	require.NoError(t, err)
	compared := 0
	for text := range strings.Lines(string(content)) {
		if text = strings.TrimSpace(text); text == "" || strings.HasPrefix(text, "# ") {
			continue
		}
		if _, err := ofRules.compileNew(text); err != nil {
			continue
		}
		ours, theirs := costsOf(t, text, costSource())
		assert.GreaterOrEqual(t, ours, theirs, text)
		compared++
	}
	assert.Greater(t, compared, 100)
}
