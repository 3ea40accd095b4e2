package goldengen_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/goldengen"
)

func load(t *testing.T, matrix string) (goldengen.Config[*spec], error) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.MkdirAll("testdata/specs", 0o750))
	require.NoError(t, os.WriteFile("testdata/specs/tracing.yaml", []byte("tracing: true\n"), 0o600))
	require.NoError(t, os.WriteFile("testdata/matrix.yaml", []byte(matrix), 0o600))
	return goldengen.LoadMatrix(filepath.Join("testdata", "matrix.yaml"), func() *spec { return &spec{} },
		func(string, *spec) (goldengen.Unit, error) { return fake{}, nil })
}

func TestLoadMatrix(t *testing.T) {
	config, err := load(t, `
dir: testdata/goldens
versions: [1.0.0, 2.0.0]
exclude: [image]
fixtures:
- name: inline
  spec: {tracing: true}
  requires:
  - name: v2
    for: 2.0.0
  forbids:
  - name: tracing
- name: file
  specFile: specs/tracing.yaml
`)
	require.NoError(t, err)
	require.NotNil(t, config.Build)
	config.Build = nil
	assert.Equal(t, goldengen.Config[*spec]{
		Dir: "testdata/goldens", Versions: []string{"1.0.0", "2.0.0"}, Exclude: []string{"image"},
		Fixtures: []goldengen.Fixture[*spec]{
			{
				Name: "inline", Spec: &spec{Tracing: true},
				Requires: []goldengen.Expect{{Name: "v2", For: "2.0.0"}}, Forbids: []goldengen.Expect{{Name: "tracing"}},
			},
			{Name: "file", Spec: &spec{Tracing: true}},
		},
	}, config)
}

func TestLoadMatrixOfValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "matrix.yaml")
	require.NoError(t, os.WriteFile(path, []byte("dir: d\nversions: [a]\nfixtures: [{name: f, spec: {tracing: true}}]\n"), 0o600))
	config, err := goldengen.LoadMatrix(path, func() spec { return spec{} }, build)
	require.NoError(t, err)
	assert.Equal(t, spec{Tracing: true}, config.Fixtures[0].Spec)
}

func TestErrorsOfMatrices(t *testing.T) {
	const head = "dir: testdata\nversions: [1.0.0]\nfixtures:\n"
	for name, test := range map[string]struct{ matrix, want string }{
		"not YAML":           {"{", `parse matrix "testdata/matrix.yaml": `},
		"spec and specFile":  {head + "- {name: f, spec: {}, specFile: a.yaml}\n", `fixture "f" must set exactly one of spec or specFile`},
		"no spec":            {head + "- {name: f}\n", `fixture "f" must set exactly one of spec or specFile`},
		"specFile not found": {head + "- {name: f, specFile: none.yaml}\n", `fixture "f" specFile "none.yaml": open testdata/none.yaml: `},
		"spec of a list":     {head + "- {name: f, spec: []}\n", `fixture "f" spec: `},
		"not valid":          {head + "- {name: '', spec: {}}\n", "goldengen: fixture name must not be empty"},
		"an update would remove the spec": {
			head + "- {name: f, spec: {}}\n- {name: specs, specFile: specs/tracing.yaml}\n",
			`fixture "specs" specFile "specs/tracing.yaml" is among the golden files, where an update would remove it`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, test.matrix)
			require.ErrorContains(t, err, test.want)
		})
	}
	_, err := goldengen.LoadMatrix("none.yaml", func() spec { return spec{} }, build)
	require.ErrorContains(t, err, `read matrix "none.yaml": open none.yaml: `)
}
