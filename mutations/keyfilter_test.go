package mutations_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/mutations"
)

func TestKeyFilterKeeps(t *testing.T) {
	for _, test := range []struct {
		include, exclude []string
		kept, dropped    []string
	}{
		{nil, nil, []string{"a", "", "a/b.c"}, nil},
		{[]string{"tls.crt"}, nil, []string{"tls.crt"}, []string{"tls.key", "tlsxcrt", "a-tls.crt", "tls.crt-b", "TLS.CRT", ""}},
		{[]string{"*"}, nil, []string{"a", "", "example.com/a"}, nil},
		{nil, []string{"*"}, nil, []string{"a", "", "example.com/a"}},
		{[]string{"*.crt"}, nil, []string{"a.crt", ".crt", "a.b.crt", "x/.crt"}, []string{"crt", "a.crt.pem"}},
		{[]string{"app.kubernetes.io/*"}, nil, []string{"app.kubernetes.io/", "app.kubernetes.io/name"}, []string{"app.kubernetes.io", "my-app.kubernetes.io/name"}},
		{[]string{"a*a"}, nil, []string{"aa", "aba", "aaa"}, []string{"a", "ab", "ba"}},
		{[]string{"a*b*c"}, nil, []string{"abc", "a-b-c", "abbcc", "abcbc"}, []string{"ac", "acb", "abcb"}},
		{[]string{"**"}, nil, []string{"", "a"}, nil},
		{[]string{"a", "b*"}, []string{"bc", "*d"}, []string{"a", "b", "bce"}, []string{"bc", "bd", "c"}},
	} {
		filter := mutations.KeyFilter{Include: test.include, Exclude: test.exclude}
		for _, key := range test.kept {
			assert.True(t, filter.Keeps(key), "%v keeps %q", filter, key)
		}
		for _, key := range test.dropped {
			assert.False(t, filter.Keeps(key), "%v drops %q", filter, key)
		}
	}
}

func TestIsPattern(t *testing.T) {
	for text, is := range map[string]bool{"a": false, "": false, "a/b.c": false, "*": true, "a*": true, "a*b": true} {
		assert.Equal(t, is, mutations.IsPattern(text), text)
	}
}

// FuzzKeyFilter compares patterns with regular expressions.
func FuzzKeyFilter(f *testing.F) {
	f.Add("a*b*c", "abcbc")
	f.Add("*", "")
	f.Add("**a", "aa")
	f.Fuzz(func(t *testing.T, pattern, key string) {
		parts := strings.Split(pattern, "*")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		expression, err := regexp.Compile(`(?s)\A` + strings.Join(parts, ".*") + `\z`)
		if err != nil { // not UTF-8
			return
		}
		require.Equal(t, expression.MatchString(key), mutations.KeyFilter{Include: []string{pattern}}.Keeps(key))
		require.Equal(t, !expression.MatchString(key), mutations.KeyFilter{Exclude: []string{pattern}}.Keeps(key))
	})
}
