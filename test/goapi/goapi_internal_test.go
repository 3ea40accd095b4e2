package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// TestNothingPublicIsGone compares the packages with the committed files.
func TestNothingPublicIsGone(t *testing.T) {
	lookAtSources(t)
	packages, err := load(env.Root())
	require.NoError(t, err)
	now := map[string][]string{}
	for _, pkg := range packages {
		now[fileOf(pkg.Path())] = linesOf(pkg)
	}
	files, err := filepath.Glob(filepath.Join("export", "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		committed, err := read(file)
		require.NoError(t, err)
		assert.Empty(t, gone(committed, now[filepath.Base(file)]), "%s: programs may use what is gone or differs. "+
			"If that is intended, go run ./test/goapi -accept-removals . test/goapi/export drops it, and CHANGELOG.md says so.", file)
	}
}

// lookAtSources has the result of this test depend on the sources: the go command does not see the files that go list reads.
func lookAtSources(t *testing.T) {
	t.Helper()
	for _, tree := range []string{"primitives", "mutations", "api"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(env.Root(), tree), func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(path)
			}
			return err
		}))
	}
}

// lines are those of a package with this source.
func lines(t *testing.T, source string) []string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "sample.go", "package sample\n"+source, parser.SkipObjectResolution)
	require.NoError(t, err)
	pkg, err := (&types.Config{}).Check("projection.sh/operator/primitives/sample", files, []*ast.File{file}, nil)
	require.NoError(t, err)
	return linesOf(pkg)
}

func TestLines(t *testing.T) {
	assert.Equal(t, []string{
		"comparable Key",
		"const A untyped int = 1",
		`const B Word = "b"`,
		"field Key.Name string `json:\"name\"`",
		"field Pair.Inner int",
		"field Pair.Left func(int, ...string) error",
		"func Map[K comparable, V any](map[K]V, ...func(V) bool) (K, error)",
		"func None()",
		"method (*Pair) Set(int)",
		"method (Pair) Get() int",
		"method (Pair) Promoted()",
		"type Alias = Word",
		"type Key struct",
		"type Number interface{~int}",
		"type Opaque struct",
		"type Pair struct",
		"type Reader interface{Close() error; Read([]byte) (int, error)}",
		"type Set[K comparable] map[K]struct{}",
		"type Word string",
		"var V *Pair",
	}, lines(t, `
const A = 1
const B Word = "b"
const hidden = 2
var V *Pair
type Word string
type Alias = Word
type Number interface{ ~int }
type Set[K comparable] map[K]struct{}
type closer interface{ Close() error }
type Reader interface { closer; Read(buffer []byte) (n int, err error) }
type Key struct { Name string "json:\"name\""; hidden int "json:\"hidden\"" }
type inner struct { Inner int; hidden int }
func (inner) Promoted() {}
type Opaque struct { hidden int }
type Pair struct { Left func(a int, more ...string) error; right int; inner }
func (p Pair) Get() int { return p.right }
func (p *Pair) Set(right int) { p.right = right }
func (p *Pair) hide() {}
func None() {}
func Map[K comparable, V any](from map[K]V, keep ...func(V) bool) (key K, err error) { return }
`))
}

func TestWhatBreaksPrograms(t *testing.T) {
	const methods = "func (*S) P() {}\nfunc (S) V() {}\n"
	before := lines(t, "type I interface{ A() }\ntype S struct{ F int }\nfunc Do(a int) {}\nconst Reason = `Ready`\n"+methods)
	for name, test := range map[string]struct {
		source string
		want   []string
	}{
		"more":                 {"type I interface{ A() }\ntype S struct{ F, G int }\nfunc Do(other int) {}\nfunc New() {}\nconst Reason = `Ready`\n", nil},
		"a name that is gone":  {"type I interface{ A() }\ntype S struct{ F int }\nconst Reason = `Ready`\n", []string{"func Do(int)"}},
		"a field that is gone": {"type I interface{ A() }\ntype S struct{ G int }\nfunc Do(a int) {}\nconst Reason = `Ready`\n", []string{"field S.F int"}},
		"another parameter":    {"type I interface{ A() }\ntype S struct{ F int }\nfunc Do(a, b int) {}\nconst Reason = `Ready`\n", []string{"func Do(int)"}},
		"another value":        {"type I interface{ A() }\ntype S struct{ F int }\nfunc Do(a int) {}\nconst Reason = `Good`\n", []string{`const Reason untyped string = "Ready"`}},
		"a field that cannot be compared": {
			"type I interface{ A() }\ntype S struct{ F int; hidden []int }\nfunc Do(a int) {}\nconst Reason = `Ready`\n", []string{"comparable S"},
		},
		"another name in JSON": {
			"type I interface{ A() }\ntype S struct{ F int \"json\" }\nfunc Do(a int) {}\nconst Reason = `Ready`\n", []string{"field S.F int"},
		},
		"a method to implement": {"type I interface{ A(); B() }\ntype S struct{ F int }\nfunc Do(a int) {}\nconst Reason = `Ready`\n", []string{"type I interface{A()}"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.ElementsMatch(t, test.want, gone(before, lines(t, test.source+methods)))
		})
	}
}

func TestAnotherReceiver(t *testing.T) {
	pointer, value := lines(t, "type S struct{}\nfunc (*S) M() {}\n"), lines(t, "type S struct{}\nfunc (S) M() {}\n")
	assert.Empty(t, gone(pointer, value))
	assert.Equal(t, []string{"method (S) M()"}, gone(value, pointer))
}

func TestRunWritesAFileForEachPackage(t *testing.T) {
	require.ErrorContains(t, run(nil), "want the top of the tree and a directory")
	dir := t.TempDir()
	require.NoError(t, run([]string{env.Root(), dir}))
	content, err := os.ReadFile(filepath.Join(dir, "primitives.deployment.txt"))
	require.NoError(t, err)
	// Methods of an alias for an internal type belong to the package, too.
	assert.Contains(t, string(content), "\nmethod (*Builder) Build() (*")
	assert.Contains(t, string(content), "\nmethod (*Mutator) EnsureReplicas(int32)\n")
	assert.NoFileExists(t, filepath.Join(dir, "primitives.internal.typed.txt"))
}

// Who removes an exported name runs make generate, and the test that nothing is gone fails nevertheless.
func TestRunKeepsWhatIsGone(t *testing.T) {
	dir := t.TempDir()
	removed, deployment := filepath.Join(dir, "primitives.none.txt"), filepath.Join(dir, "primitives.deployment.txt")
	require.NoError(t, os.WriteFile(removed, []byte("func Gone()\n"), 0o600))
	require.NoError(t, os.WriteFile(deployment, []byte("func Gone()\nmethod (*Resource) Object() int\n"), 0o600))

	require.NoError(t, run([]string{env.Root(), dir}))
	assert.FileExists(t, removed)
	kept, err := read(deployment)
	require.NoError(t, err)
	assert.Contains(t, kept, "func Gone()")
	assert.Contains(t, kept, "method (*Resource) Object() int")
	assert.Contains(t, kept, "type Mutation = primitives/feature.Mutation[*Mutator]")
	assert.IsIncreasing(t, kept)

	require.NoError(t, run([]string{"-accept-removals", env.Root(), dir}))
	assert.NoFileExists(t, removed)
	present, err := read(deployment)
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"func Gone()", "method (*Resource) Object() int"}, gone(kept, present))
}
