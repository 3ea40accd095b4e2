package v1_test

import (
	"strings"
	"testing"
)

const badKeyPattern = "Invalid: this cannot be the pattern of a key: write a key such as \"app\", or one with * for any characters, such as \"app.kubernetes.io/*\""

func TestContentIsCheckedAtAdmission(t *testing.T) {
	for _, field := range []string{"labels", "annotations"} {
		filter := "spec.content." + field
		bothKinds(t, contents(field, []admission{
			{name: "nothing chosen", spec: `{}`},
			{name: "all", spec: `{include: ["*"]}`},
			{name: "none", spec: `{exclude: ["*"]}`},
			{name: "keys and patterns", spec: `{include: [app, "app.kubernetes.io/*", "Example.com/A_b-*.c"], exclude: ["*-hash", "**"]}`},
			{name: "empty lists", spec: `{include: [], exclude: []}`},
			{name: "longest", spec: `{include: [` + strings.Repeat("k", 317) + `]}`},
			{name: "as many as can be", spec: `{include: [` + strings.Join(numbered("k", 64), ", ") + `], exclude: [` + strings.Join(numbered("k", 64), ", ") + `]}`},

			{name: "a key with a blank", spec: `{include: ["my team"]}`, want: []string{filter + ".include[0]: " + badKeyPattern}},
			{name: "an empty key", spec: `{exclude: [a, ""]}`, want: []string{filter + ".exclude[1]: " + badKeyPattern}},
			{name: "a pattern of another language", spec: `{exclude: ["team-[ab]", "team-?"]}`, want: []string{
				filter + ".exclude[0]: " + badKeyPattern, filter + ".exclude[1]: " + badKeyPattern,
			}},
			{name: "a key with a line break", spec: `{include: ["a\n"]}`, want: []string{filter + ".include[0]: " + badKeyPattern}},
			{name: "too long", spec: `{include: [` + strings.Repeat("k", 318) + `]}`, want: []string{filter + ".include[0]: TooLong: Too long: may not be more than 317 bytes"}},
			{name: "too many", spec: `{exclude: [` + strings.Join(numbered("k", 65), ", ") + `]}`, want: []string{filter + ".exclude: TooMany: Too many: 65: must have at most 64 items"}},
		}))
	}
}

func TestKeysAreCheckedAtAdmission(t *testing.T) {
	const (
		data   = "spec.content.data"
		badKey = "Invalid: this cannot be a key of a ConfigMap or Secret: write letters, digits, \"-\", \"_\" and \".\""
		one    = "Invalid: an entry of rename names one key in from, or matches keys by pattern: set one of the two"
		noRE2  = " evaluating rule: this is not a regular expression in the syntax of RE2"
	)
	bothKinds(t, contents("data", []admission{
		{name: "nothing chosen", spec: `{}`},
		{name: "keys and patterns", spec: `{include: [tls.crt, "*.pem"], exclude: [a], allowMissing: true}`},
		{name: "renames", spec: `{rename: [{from: user, to: DB_USER}, {pattern: "extra-(.*)[.]txt", to: "${1}-$1"}, {pattern: "(?i)a|b", to: c}]}`},
		{name: "as many as can be", spec: `{rename: [` + strings.Repeat(`{pattern: "`+strings.Repeat("(a|b)*", 42)+`", to: `+strings.Repeat("k", 253)+`}, `, 63) + `{from: a, to: b}]}`},

		{name: "a pattern of a key", spec: `{include: ["a b"]}`, want: []string{data + ".include[0]: " + badKeyPattern}},
		{name: "a key and a pattern", spec: `{rename: [{from: a, pattern: b, to: c}]}`, want: []string{data + ".rename[0].from: " + one}},
		{name: "neither", spec: `{rename: [{to: c}]}`, want: []string{data + ".rename[0].from: " + one}},
		{name: "no new name", spec: `{rename: [{from: c}]}`, want: []string{data + ".rename[0].to: Required: Required value"}},
		{name: "a key with a slash", spec: `{rename: [{from: a/b, to: c}]}`, want: []string{data + ".rename[0].from: " + badKey}},
		{name: "a new name with a slash", spec: `{rename: [{from: a, to: b/c}]}`, want: []string{data + ".rename[0].to: " + badKey + ", and $1 for what the first group of pattern matches"}},
		{name: "a group without a pattern", spec: `{rename: [{from: a, to: "b-$1"}]}`, want: []string{data + ".rename[0].to: " + "Invalid: $1 stands for a group of pattern, and there is no pattern: write a key without $, { and }"}},
		{name: "an empty pattern", spec: `{rename: [{pattern: "", to: b}]}`, want: []string{
			data + `.rename[0].pattern: Required: write a regular expression such as "(.*)[.]pem", or remove pattern and name the key in from`,
		}},
		{name: "a counted repetition", spec: `{rename: [{pattern: "(?:(?:.?){9}){1000}b", to: b}]}`, want: []string{data + ".rename[0].pattern: Forbidden: a repetition with a count can cost too much: write + or * instead of {...}"}},
		{name: "a look-ahead", spec: `{rename: [{pattern: "a(?=b)", to: b}]}`, want: []string{data + ".rename[0].pattern: Invalid: error parsing regexp: invalid or unsupported Perl syntax: `(?=`" + noRE2}},
		{name: "an open parenthesis", spec: `{rename: [{pattern: "(", to: b}]}`, want: []string{data + ".rename[0].pattern: Invalid: error parsing regexp: missing closing ): `(`" + noRE2}},
		{name: "a back reference", spec: `{rename: [{pattern: "(a)\\1", to: b}]}`, want: []string{data + ".rename[0].pattern: Invalid: error parsing regexp: invalid escape sequence: `\\1`" + noRE2}},
		{name: "too many", spec: `{rename: [` + strings.Repeat(`{from: a, to: b}, `, 64) + `{from: a, to: b}]}`, want: []string{data + ".rename: TooMany: Too many: 65: must have at most 64 items"}},
	}))
}

func TestKeysAreThoseOfConfigMapsAndSecrets(t *testing.T) {
	refused := []string{"spec.content.data: Forbidden: only a ConfigMap or a Secret of the core group has keys to choose: remove content.data"}
	rule := func(source string) string {
		return "source: {" + source + ", namespace: platform, name: app}\ncontent: {data: {include: [a]}}"
	}
	bothKinds(t, []admission{
		{name: "a ConfigMap", spec: rule("kind: ConfigMap")},
		{name: "a Secret", spec: rule(`group: "", version: v1, kind: Secret`)},
		{name: "a Deployment", spec: rule("group: apps, kind: Deployment"), want: refused},
		{name: "a Secret of another group", spec: rule("group: example.com, kind: Secret"), want: refused},
		{name: "labels of any kind", spec: "source: {group: apps, kind: Deployment, namespace: a, name: b}\ncontent: {labels: {include: [a]}}"},
	})
}

func TestPathsAreCheckedAtAdmission(t *testing.T) {
	const badPath = "Invalid: this cannot be the path of a field: write names with dots, [\"...\"] for a name with other characters, [*] for all elements " +
		"of a list, and [name=web] for the elements with this value, like spec.template.spec.containers[name=web].image"
	const noContent = "Forbidden: apiVersion, kind, metadata and status cannot be chosen here: choose labels and annotations by content.labels and content.annotations"
	for _, list := range []string{"include", "exclude"} {
		field := "spec.content.fields." + list
		one := func(path string, want ...string) admission {
			for i := range want {
				want[i] = field + "[0]: " + want[i]
			}
			return admission{name: list + " " + path, spec: `{` + list + `: ['` + path + `']}`, want: want}
		}
		bothKinds(t, contents("fields", []admission{
			one("spec"), one("spec.replicas"), one("_a.$b-c"), one(`data["config.json"]`), one("spec.list[*][*].a"), one("metadatas"), one("kind-of"),
			one("spec.template.spec.containers[name=web].image"), one("spec.ports[port=80,protocol=TCP]"), one(`a[b=\]`),
			{name: "longest", spec: `{` + list + `: [` + strings.Repeat("a", 512) + `]}`},

			one(".spec", badPath), one("spec.", badPath), one("spec..a", badPath), one("spec.list[0]", badPath), one("spec/replicas", badPath),
			one("/spec/replicas", badPath), one(`a["b`, badPath), one(`a[""]`, badPath), one("a[b]", badPath), one("a[b=]", badPath), one(`a["\\"]`, badPath),
			one("$.spec[?(@.a)]", badPath), one("spec.*", badPath),
			one("metadata", noContent), one("metadata.labels", noContent), one(`metadata["name"]`, noContent), one("status.phase", noContent),
			one("apiVersion", noContent), one("kind", noContent),
			{name: "too long", spec: `{` + list + `: [` + strings.Repeat("a", 513) + `]}`, want: []string{field + "[0]: TooLong: Too long: may not be more than 512 bytes"}},
			{name: "too many", spec: `{` + list + `: [` + strings.Join(numbered("k", 65), ", ") + `]}`, want: []string{field + ": TooMany: Too many: 65: must have at most 64 items"}},
		}))
	}
}

func contents(field string, table []admission) []admission {
	for i := range table {
		table[i].spec = anySource + "content: {" + field + ": " + table[i].spec + "}"
	}
	return table
}
