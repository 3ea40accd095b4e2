package layering_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// pkg is what go list tells of a package: all that it reaches, without its tests.
type pkg struct {
	ImportPath string
	Deps       []string
}

func TestImportsRunOneWay(t *testing.T) {
	for _, p := range operatorPackages(t) {
		rule, found := layerOf(p.ImportPath)
		if !assert.Truef(t, found, "%s is in no layer: add it to rules_test.go and to depguard in .golangci.yml", p.ImportPath) {
			continue
		}
		breaches := map[string]bool{}
		for _, dep := range p.Deps {
			breaches[rule.breach(p.ImportPath, dep)] = true
		}
		delete(breaches, "")
		assert.Emptyf(t, breaches, "%s reaches what it must not: %s.", p.ImportPath, rule.because)
	}
}

func TestEveryRuleCanFail(t *testing.T) {
	tests := map[string]struct{ from, to string }{
		"command to test code":         {"cmd/manager", "test/env"},
		"command to kubectl's code":    {"cmd/manager", "k8s.io/cli-runtime/pkg/printers"},
		"plugin to manager":            {"cmd/kubectl-projection", "cmd/manager/app"},
		"kind to command":              {"components/projection", "cmd/manager"},
		"kind to kind":                 {"components/projection", "components/clusterprojection"},
		"spine to kind":                {"components/projector", "components/projection"},
		"part to spine":                {"components/source", "components/projector"},
		"identity to spine":            {"components/owner", "components/projector"},
		"verdict to identity":          {"components/policy", "components/owner"},
		"cluster to identity":          {"components/remotecluster", "components/owner"},
		"connection to identity":       {"components/fleet", "components/owner"},
		"rights to identity":           {"components/rights", "components/owner"},
		"publication to connection":    {"components/publication/crd", "components/fleet"},
		"mutations to the domain":      {"mutations", "components/owner"},
		"kit to api":                   {"primitives/generic", "api/v1"},
		"api to kit":                   {"api/v1", "primitives/feature"},
		"name that only begins alike":  {"mutations", "primitivesextra"},
		"api to a framework of others": {"api/v1", "sigs.k8s.io/controller-runtime/pkg/scheme"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			from, to := module+"/"+test.from, test.to
			if !strings.Contains(to, ".") {
				to = module + "/" + to
			}
			rule, found := layerOf(from)
			require.True(t, found)
			assert.NotEmpty(t, rule.breach(from, to))
		})
	}
}

func TestAPIReachesTheTypesOfKubernetes(t *testing.T) {
	rule, found := layerOf(module + "/api/v1")
	require.True(t, found)
	assert.Empty(t, rule.breach(module+"/api/v1", "k8s.io/apimachinery/pkg/apis/meta/v1"))
}

// operatorPackages lists every package of the module but the test code's.
func operatorPackages(t *testing.T) []pkg {
	t.Helper()
	lookAtSources(t)
	var out, problems bytes.Buffer
	list := exec.Command("go", "list", "-json=ImportPath,Deps", "./...")
	list.Dir, list.Stdout, list.Stderr = env.Root(), &out, &problems
	require.NoErrorf(t, list.Run(), "go list: %s", problems.String())

	var packages []pkg
	for decoder := json.NewDecoder(&out); ; {
		var p pkg
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if !within(p.ImportPath, module+"/test") {
			packages = append(packages, p)
		}
	}
	require.NotEmpty(t, packages)
	return packages
}

// lookAtSources makes the result of this test depend on every source file: the go command caches a result by the files
// that the test itself has looked at, and does not see those that go list reads.
func lookAtSources(t *testing.T) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(env.Root(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != env.Root() && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".go" {
			_, err = os.Stat(path)
		}
		return err
	}))
}
