package mutations_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/mutations"
)

// split returns the words of the text; nil if there are none.
func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Fields(text)
}

// keys is the input that chooses keys of a ConfigMap. Renames are written from=to, or /pattern/=to.
func keys(include, exclude string, renames ...string) mutations.Input {
	in := kind("", "ConfigMap")
	in.Content.Data.Include, in.Content.Data.Exclude = split(include), split(exclude)
	for _, rename := range renames {
		from, to, _ := strings.Cut(rename, "=")
		if pattern, found := strings.CutPrefix(from, "/"); found {
			in.Content.Data.Rename = append(in.Content.Data.Rename, mutations.KeyRename{Pattern: strings.TrimSuffix(pattern, "/"), To: to})
		} else {
			in.Content.Data.Rename = append(in.Content.Data.Rename, mutations.KeyRename{From: from, To: to})
		}
	}
	return in
}

const someKeys = `{data: {a: "1", b: "2", extra-x: "3", extra-y: "4"}, binaryData: {c: AA==}, immutable: true}`

func TestFilterData(t *testing.T) {
	for name, test := range map[string]struct {
		in    mutations.Input
		after string
	}{
		"not gated open":             {keys("", ""), someKeys},
		"included":                   {keys("a c", ""), `{data: {a: "1"}, binaryData: {c: AA==}, immutable: true}`},
		"included by a pattern":      {keys("extra-* none*", ""), `{data: {extra-x: "3", extra-y: "4"}, immutable: true}`},
		"exclude wins":               {keys("a extra-*", "*-y"), `{data: {a: "1", extra-x: "3"}, immutable: true}`},
		"one that is named excluded": {keys("a b", "a"), `{data: {b: "2"}, immutable: true}`},
		"no text is left":            {keys("c", ""), `{binaryData: {c: AA==}, immutable: true}`},
		"no key is left":             {keys("", "*"), `{immutable: true}`},
		"renamed":                    {keys("", "extra-*", "a=A"), `{data: {A: "1", b: "2"}, binaryData: {c: AA==}, immutable: true}`},
		"binary data renamed":        {keys("c", "", "c=C"), `{binaryData: {C: AA==}, immutable: true}`},
		"the first rename counts":    {keys("a extra-x", "", "a=one", "/.*/=two", "extra-x=three"), `{data: {one: "1", two: "3"}, immutable: true}`},
		"by a group":                 {keys("extra-*", "", "/extra-(.*)/=$1"), `{data: {x: "3", "y": "4"}, immutable: true}`},
		"by a group in braces":       {keys("extra-*", "", "/(extra)-(.*)/=${2}_$1"), `{data: {x_extra: "3", y_extra: "4"}, immutable: true}`},
		"digits end a reference":     {keys("extra-*", "", "/extra-(.*)/=$1x"), `{data: {xx: "3", yx: "4"}, immutable: true}`},
		"the whole match":            {keys("extra-*", "", "/extra-./=$0.txt"), `{data: {extra-x.txt: "3", extra-y.txt: "4"}, immutable: true}`},
		"a pattern fits as a whole":  {keys("extra-x", "", "/extra/=no", "/xtra-x/=no", "/e|extra-x/=done"), `{data: {done: "3"}, immutable: true}`},
		"flags of a pattern":         {keys("a", "", "/(?i)A/=done"), `{data: {done: "1"}, immutable: true}`},
		"two keys swap":              {keys("a b", "", "a=b", "b=a"), `{data: {b: "1", a: "2"}, immutable: true}`},
		"into one that stays behind": {keys("a", "", "a=b"), `{data: {b: "1"}, immutable: true}`},
		"text takes a binary's name": {keys("a", "", "a=c"), `{data: {c: "1"}, immutable: true}`},
		"to the name that it has":    {keys("a", "", "a=a"), `{data: {a: "1"}, immutable: true}`},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, content(t, test.after), apply(t, mutations.FilterData, test.in, content(t, someKeys)))
		})
	}
}

func TestKeysThatAreMissing(t *testing.T) {
	for name, test := range map[string]struct {
		in      mutations.Input
		missing []string
	}{
		"one":             {keys("a none", ""), []string{"none"}},
		"of a rename":     {keys("", "", "none=b"), []string{"none"}},
		"several, once":   {keys("z y a", "", "y=x", "w=v"), []string{"w", "y", "z"}},
		"in another case": {keys("A", ""), []string{"A"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tryApply(t, mutations.FilterData, test.in, content(t, someKeys))
			var incomplete *mutations.MissingKeysError
			require.ErrorAs(t, err, &incomplete)
			assert.Equal(t, test.missing, incomplete.Keys)
			for _, key := range test.missing {
				assert.Contains(t, err.Error(), key)
			}

			test.in.Content.Data.AllowMissing = true
			_, err = tryApply(t, mutations.FilterData, test.in, content(t, someKeys))
			require.NoError(t, err)
		})
	}
	_, err := tryApply(t, mutations.FilterData, keys("none*", "none", "/none/=b"), content(t, someKeys))
	require.NoError(t, err, "what no key has to fit may be missing")
}

func TestSourcesOfWhichNoCopyCanBeMade(t *testing.T) {
	for name, test := range map[string]struct {
		in      mutations.Input
		message string
	}{
		"two renamed to one":       {keys("", "", "a=n", "b=n"), "the keys a and b of the source would both be called n in the copy"},
		"renamed to one that is":   {keys("", "", "b=a"), "the keys a and b of the source would both be called a in the copy"},
		"text and binary":          {keys("", "", "/(b|c)/=n"), "the keys b and c of the source would both be called n in the copy"},
		"a name that is no key":    {keys("", "", "a=a/b"), `the key a of the source would be called "a/b" in the copy, which cannot be a key: `},
		"a name that is nothing":   {keys("", "", "/a(x?)/=$1"), `the key a of the source would be called "" in the copy, which cannot be a key: `},
		"a name that is too long":  {keys("", "", "a="+strings.Repeat("n", 254)), "which cannot be a key: "},
		"a name that is a parent":  {keys("", "", "a=.."), "which cannot be a key: "},
		"no reference after a key": {keys("", "", "a=$1"), `the key a of the source would be called "$1" in the copy`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tryApply(t, mutations.FilterData, test.in, content(t, someKeys))
			var refused *mutations.SourceError
			require.ErrorAs(t, err, &refused)
			assert.Contains(t, refused.Message, test.message)
		})
	}
}

func TestKeysThatCannotBeChosen(t *testing.T) {
	secretly := kind("apps", "Deployment")
	secretly.Content.Data.Include = []string{"a"}
	both := keys("", "")
	both.Content.Data.Rename = []mutations.KeyRename{{From: "a", Pattern: "b", To: "c"}}
	neither := keys("", "")
	neither.Content.Data.Rename = []mutations.KeyRename{{To: "c"}}
	for name, test := range map[string]struct {
		in      mutations.Input
		message string
	}{
		"a counted repetition":   {keys("", "", "/a{9}/=b"), `"a{9}" has a repetition with a count, which can cost too much: write + or * instead`},
		"no RE2":                 {keys("", "", "/(?!a)/=b"), `"(?!a)" is no regular expression in the syntax of RE2: `},
		"one only in brackets":   {keys("", "", "/a)|(b/=c"), `"a)|(b" is no regular expression in the syntax of RE2: `},
		"no such group":          {keys("", "", "/a(b)/=$2"), `the new name "$2" refers to a group that the pattern does not have`},
		"a group without number": {keys("", "", "/(?P<n>a)/=${n}"), `the new name "${n}" refers to a group that the pattern does not have`},
		"a dollar":               {keys("", "", "/a/=a$"), `the new name "a$" refers to a group that the pattern does not have`},
		"another kind":           {secretly, "a Deployment.apps has no keys to choose: only ConfigMaps and Secrets have"},
		"a key and a pattern":    {both, "the new name c is for no key, or for a key and a pattern"},
		"neither":                {neither, "the new name c is for no key, or for a key and a pattern"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tryApply(t, mutations.FilterData, test.in, content(t, someKeys))
			var refused *mutations.InputError
			require.ErrorAs(t, err, &refused)
			assert.Contains(t, refused.Message, test.message)
			if mutations.IsReplaceable(test.in.Kind) {
				assert.Equal(t, refused, test.in.Content.Validate(), "it can be known without a source")
			}
		})
	}
}

func TestValidContent(t *testing.T) {
	in := keys("a b*", "c", "a=b", "/(.*)/=$1")
	in.Content.Fields = mutations.FieldFilter{Include: []string{"spec"}, Exclude: []string{"spec.list[*]"}}
	require.NoError(t, in.Content.Validate())
	in.Content.Fields.Exclude = []string{"metadata.name"}
	require.EqualError(t, in.Content.Validate(), "metadata.name is not among the fields that can be chosen")
	in.Content.Fields = mutations.FieldFilter{Include: []string{"a["}}
	require.Error(t, in.Content.Validate())
}

func TestFilterDataLeavesOtherShapesAlone(t *testing.T) {
	for _, text := range []string{`{data: text}`, `{data: [a]}`, `{data: 7, binaryData: true}`, `{}`} {
		assert.Equal(t, content(t, text), apply(t, mutations.FilterData, keys("", "b"), content(t, text)))
	}
	assert.Equal(t, content(t, `{data: {a: 7}}`), apply(t, mutations.FilterData, keys("a", ""), content(t, `{data: {a: 7, b: {}}}`)))
}

func TestPatternsThatAreTooLongForSoManyKeys(t *testing.T) {
	many := map[string]any{}
	for i := range 4000 {
		many[strings.Repeat("k", 200)+strconv.Itoa(i)] = ""
	}
	in := mutations.Input{Kind: schema.GroupKind{Kind: "Secret"}}
	for range 64 {
		in.Content.Data.Rename = append(in.Content.Data.Rename, mutations.KeyRename{Pattern: strings.Repeat(".?", 120), To: "a"})
	}
	_, err := tryApply(t, mutations.FilterData, in, map[string]any{"data": many})
	assert.ErrorContains(t, err, "the patterns of the new names are too long for so many keys: name fewer of them by pattern")
}
