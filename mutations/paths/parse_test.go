package paths_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/mutations/paths"
)

// pattern is the one by which admission checks paths.
const pattern = `^[A-Za-z_$][-A-Za-z0-9_$]*(\.[A-Za-z_$][-A-Za-z0-9_$]*|\["[^"\\]+"\]|\[\*\]|\[[A-Za-z][A-Za-z0-9]*=[^],="\[]+(,[A-Za-z][A-Za-z0-9]*=[^],="\[]+)*\])*$`

var admitted = regexp.MustCompile(pattern)

func field(name string) paths.Step { return paths.Step{Field: name} }

func where(conditions ...string) paths.Step {
	step := paths.Step{}
	for i := 0; i < len(conditions); i += 2 {
		step.Where = append(step.Where, paths.Condition{Key: conditions[i], Value: conditions[i+1]})
	}
	return step
}

func TestParse(t *testing.T) {
	for text, steps := range map[string][]paths.Step{
		"spec":                 {field("spec")},
		"spec.replicas":        {field("spec"), field("replicas")},
		"_a.$b-c.x_1":          {field("_a"), field("$b-c"), field("x_1")},
		`data["config.json"]`:  {field("data"), field("config.json")},
		`data["ключ [*] a=b"]`: {field("data"), field("ключ [*] a=b")},
		`data["a"]["b"].c`:     {field("data"), field("a"), field("b"), field("c")},
		"list[*]":              {field("list"), where()},
		"list[*][*].a":         {field("list"), where(), where(), field("a")},
		"c[name=web].image":    {field("c"), where("name", "web"), field("image")},
		"p[port=80,proto=TCP]": {field("p"), where("port", "80", "proto", "TCP")},
		`c[a=x.y/z \ {}$']`:    {field("c"), where("a", `x.y/z \ {}$'`)},
	} {
		t.Run(text, func(t *testing.T) {
			path, err := paths.Parse(text)
			require.NoError(t, err)
			assert.Equal(t, steps, path.Steps())
			assert.Equal(t, text, path.String())
			assert.Regexp(t, admitted, text)
		})
	}
}

// notPaths are texts that are no paths.
var notPaths = []string{
	"", ".", ".a", "a.", "a..b", "1a", "-a", "a b", "a/b", "a.1", "[*]", `["a"]`, "a[", "a[]", "a[0]", "a[*", "a[*]b", "a]", "a[**]",
	`a[""]`, `a["b]`, `a["b"`, `a["b"]c`, `a["b\c"]`, `a['b']`, "a[b]", "a[=b]", "a[b=]", "a[b=c", "a[b=c,]", "a[,b=c]", "a[b=c,d]", "a[1b=c]",
	"a[b.c=d]", `a[b="c"]`, "a[b=c=d]", "a[b=[c]", "ä", "a.ä", "a\n",
}

func TestParseRefuses(t *testing.T) {
	for _, text := range notPaths {
		t.Run(text, func(t *testing.T) {
			_, err := paths.Parse(text)
			var refused *paths.SyntaxError
			require.ErrorAs(t, err, &refused)
			assert.Contains(t, err.Error(), "is not the path of a field")
			assert.NotRegexp(t, admitted, text)
		})
	}
}

func TestErrorQuotesWhatCannotBeRead(t *testing.T) {
	_, err := paths.Parse("spec.containers[0].image")
	require.EqualError(t, err, `"spec.containers[0].image" is not the path of a field: "[0].image" cannot be read`)
	_, err = paths.Parse(".spec")
	require.EqualError(t, err, `".spec" is not the path of a field: it does not begin with a name`)
}

func TestLengthOfPathsIsLimited(t *testing.T) {
	_, err := paths.Parse(`a["` + strings.Repeat("ä", paths.MaxLength-5) + `"]`)
	require.NoError(t, err, "characters are counted, not bytes")
	_, err = paths.Parse(strings.Repeat("a", paths.MaxLength+1))
	require.EqualError(t, err, "a path has at most 512 characters")
}

func TestParseAll(t *testing.T) {
	parsed, err := paths.ParseAll([]string{"a.b", "c"})
	require.NoError(t, err)
	assert.Equal(t, []string{"a.b", "c"}, []string{parsed[0].String(), parsed[1].String()})
	_, err = paths.ParseAll([]string{"a", "b."})
	require.Error(t, err)
}
