package kit_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/clusterrole"
	"projection.sh/operator/primitives/clusterrolebinding"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/cronjob"
	"projection.sh/operator/primitives/daemonset"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/hpa"
	"projection.sh/operator/primitives/ingress"
	"projection.sh/operator/primitives/job"
	"projection.sh/operator/primitives/networkpolicy"
	"projection.sh/operator/primitives/pdb"
	"projection.sh/operator/primitives/pod"
	"projection.sh/operator/primitives/pv"
	"projection.sh/operator/primitives/pvc"
	"projection.sh/operator/primitives/replicaset"
	"projection.sh/operator/primitives/role"
	"projection.sh/operator/primitives/rolebinding"
	"projection.sh/operator/primitives/secret"
	"projection.sh/operator/primitives/service"
	"projection.sh/operator/primitives/serviceaccount"
	"projection.sh/operator/primitives/statefulset"
	"projection.sh/operator/primitives/unstructured"
	"projection.sh/operator/test/env"
)

const migrationPage = "docs/kit/migration.md"

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(env.Root(), name))
	require.NoError(t, err)
	return string(content)
}

// TestPagesNameEveryMethodOfTheMutators compares what the pages list with the mutators.
func TestPagesNameEveryMethodOfTheMutators(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(env.Root(), "docs", "kit", "*.md"))
	require.NoError(t, err)
	var text strings.Builder
	for _, page := range pages {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		text.Write(content)
	}
	for _, mutator := range []any{
		&clusterrole.Mutator{}, &clusterrolebinding.Mutator{}, &configmap.Mutator{}, &cronjob.Mutator{}, &daemonset.Mutator{},
		&deployment.Mutator{}, &hpa.Mutator{}, &ingress.Mutator{}, &job.Mutator{}, &networkpolicy.Mutator{}, &pdb.Mutator{}, &pod.Mutator{},
		&pv.Mutator{}, &pvc.Mutator{}, &replicaset.Mutator{}, &role.Mutator{}, &rolebinding.Mutator{}, &secret.Mutator{}, &service.Mutator{},
		&serviceaccount.Mutator{}, &statefulset.Mutator{}, &unstructured.Mutator{},
	} {
		for method := range reflect.TypeOf(mutator).Methods() {
			assert.Contains(t, text.String(), "`"+method.Name+"`", "%T", mutator)
		}
	}
}

// option is a function that returns an option of a resource.
var option = regexp.MustCompile(`(?m)^func ([A-Z]\w*)\(.*\) ResourceOption \{`)

// TestComponentsPageNamesEveryOption compares the table of options with the package.
func TestComponentsPageNamesEveryOption(t *testing.T) {
	page := read(t, "docs/kit/components.md")
	files, err := filepath.Glob(filepath.Join(env.Root(), "primitives", "component", "*.go"))
	require.NoError(t, err)
	options := 0
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range option.FindAllStringSubmatch(string(content), -1) {
			assert.Contains(t, page, "`"+name[1]+"(")
			options++
		}
	}
	assert.GreaterOrEqual(t, options, 16)
}

// path is a row of the table of import paths.
var path = regexp.MustCompile("(?m)^\\| `(pkg/[^`]+)` \\| `(primitives[^`]*)` \\|$")

// TestMigrationNamesEveryPackage compares the table of import paths with the folders of the kit.
func TestMigrationNamesEveryPackage(t *testing.T) {
	kinds := 0
	listed := map[string]bool{}
	for _, row := range path.FindAllStringSubmatch(read(t, migrationPage), -1) {
		from, to := row[1], row[2]
		assert.False(t, listed[to], "twice: %s", to)
		listed[to] = true
		assert.DirExists(t, filepath.Join(env.Root(), to))
		if filepath.Dir(from) == "pkg/primitives" && from != "pkg/primitives/unstructured" {
			assert.Equal(t, filepath.Base(from), filepath.Base(to))
			kinds++
		}
	}
	assert.Equal(t, 21, kinds)
	for _, pkg := range packages(t) {
		assert.True(t, listed[pkg], "%s does not name %s", migrationPage, pkg)
	}
}

// packages are the public packages of the kit.
func packages(t *testing.T) []string {
	t.Helper()
	found := map[string]bool{}
	require.NoError(t, filepath.WalkDir(filepath.Join(env.Root(), "primitives"), func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == "internal" {
			return fs.SkipDir
		}
		if filepath.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go") {
			name, err := filepath.Rel(env.Root(), filepath.Dir(file))
			found[filepath.ToSlash(name)] = true
			return err
		}
		return nil
	}))
	var all []string
	for name := range found {
		all = append(all, name)
	}
	return all
}
