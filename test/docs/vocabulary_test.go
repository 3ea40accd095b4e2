package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// banned are words that users of Kubernetes do not know in the meaning that this project once gave to them, or that hide who does
// what. The value says what to write instead.
var banned = map[string]string{
	`strangers?`:                       "foreign object",
	`in step`:                          "in sync",
	`veto(es|ed)?`:                     "opt out",
	`mend(s|ed)?`:                      "fix, or repair",
	`anew`:                             "again, or recreate",
	`wakes?|woken`:                     "trigger, or enqueue",
	`held off|holds? (it|them) off`:    "prevent",
	`takes? (its|their) copies along`:  "delete its copies",
	`stands? by`:                       "is on standby",
	`whoever|whomever`:                 "users who, or the name of a role",
	`hand(s|ed)? over`:                 "release",
	`marks of ownership|our marks`:     "ownership annotations",
	`pass(es)? over (a|the) rules?`:    "reconcile",
	`definitions`:                      "CRDs",
	`he|him|his`:                       "the user, they",
	`bears?`:                           "has, carries",
	`tells|told`:                       "reports, says",
	`kinds that may be copied`:         "allowed kinds",
	`(copies|copy) (goes|go) with it`:  "is deleted with it",
	`truthfully|riddles?|masquerades?`: "(leave it out)",
	`gone`:                             "was deleted or removed, or does not exist",
	`of (its|their) own`:               "its own, or separate",
	`meanwhile`:                        "while, or during what",
	`for ?ever`:                        "without end, or until what",
}

// tolerated are texts that need a banned word, by file: the text, and why it stays.
var tolerated = map[string]map[string]string{
	"CONTRIBUTING.md": {
		"stranger is a foreign object, a veto is an opt-out, and marks are": "it explains the words",
	},
}

// TestWordsAreThoseOfKubernetes reads what users read: documents, manifests with their comments, descriptions of fields, alerts, the
// Makefile with its help, and the texts of conditions, events, flags, the log, the public packages and the demo.
func TestWordsAreThoseOfKubernetes(t *testing.T) {
	texts := userTexts(t)
	for path, text := range texts {
		for excerpt, reason := range tolerated[path] {
			assert.Contains(t, text, excerpt, "%s: the exception is not needed (%s)", path, reason)
			text = strings.Replace(text, excerpt, "", 1)
		}
		number := 0
		for line := range strings.Lines(text) {
			number++
			for _, word := range bannedIn(line) {
				assert.Fail(t, "a word that users do not know", "%s:%d: %q; write: %s", path, number, word, instead(word))
			}
		}
	}
	assert.Greater(t, len(texts), 100)
}

func TestBannedWordsAreFound(t *testing.T) {
	for text, word := range map[string]string{
		"a Stranger": "Stranger", "copies in step.": "in step", "vetoes its projection": "vetoes", "Whoever may edit": "Whoever",
		"the copy (made anew)": "anew", "the definitions": "definitions", "it has gone": "gone", "a module of its own": "of its own",
	} {
		assert.Equal(t, []string{word}, bannedIn(text))
		assert.NotEmpty(t, instead(word))
	}
	for _, text := range []string{
		"state=in_step", "TestStrangerIsLeft", "CustomResourceDefinitions", "this, the", "retold", "projection_definitions_unknown",
		"its own module", "for every rule",
	} {
		assert.Empty(t, bannedIn(text))
	}
}

var anyBanned = regexp.MustCompile(`(?i)\b(?:` + strings.Join(slices.Sorted(maps.Keys(banned)), "|") + `)\b`)

// bannedIn returns the banned words in the text.
func bannedIn(text string) []string { return anyBanned.FindAllString(text, -1) }

// instead returns what to write instead of the banned word.
func instead(word string) string {
	for pattern, better := range banned {
		if regexp.MustCompile(`(?i)^(?:` + pattern + `)$`).MatchString(word) {
			return better
		}
	}
	return ""
}

// userTexts returns the texts that users read, by file.
func userTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	read := func(path string) {
		content, err := os.ReadFile(fromTop(path))
		require.NoError(t, err)
		texts[path] = string(content)
	}
	for path := range pages(t) {
		read(path)
	}
	for _, tree := range []string{"config", "deploy", ".github"} {
		walk(t, tree, func(path string) {
			if slices.Contains([]string{".md", ".yaml", ".yml", ".json", ".txt", ".tpl", ".lua"}, filepath.Ext(path)) {
				read(path)
			}
		})
	}
	read("Makefile")
	for _, tree := range []string{"components", "cmd", "primitives", "mutations", "test/demo"} {
		walk(t, tree, func(path string) {
			if filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go") {
				texts[path] = sentences(t, path)
			}
		})
	}
	return texts
}

func walk(t *testing.T, tree string, do func(path string)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(fromTop(tree), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(fromTop("."), path)
		do(name)
		return err
	}))
}

// sentences returns the strings of a Go file, each in the line that it has there.
func sentences(t *testing.T, path string) string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, fromTop(path), nil, 0)
	require.NoError(t, err)
	var text strings.Builder
	line := 1
	ast.Inspect(file, func(node ast.Node) bool {
		literal, ok := node.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		said, err := strconv.Unquote(literal.Value)
		require.NoError(t, err)
		for ; line < files.Position(literal.Pos()).Line; line++ {
			text.WriteByte('\n')
		}
		text.WriteString(strings.ReplaceAll(said, "\n", " ") + " ")
		return true
	})
	return text.String()
}
