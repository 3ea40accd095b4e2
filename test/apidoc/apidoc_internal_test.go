package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

func TestReferenceIsUpToDate(t *testing.T) {
	committed, err := os.ReadFile(filepath.Join(env.Root(), "docs", "reference", "api.md"))
	require.NoError(t, err)
	var generated strings.Builder
	require.NoError(t, run(&generated, []string{env.CRDs()}))
	assert.Equal(t, string(committed), generated.String(), "make generate writes it")
}

func TestWhatARowSays(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "crd.yaml"), []byte(`
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Sample, shortNames: [s, smp], categories: [all]}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        description: A sample.
        properties:
          spec:
            type: object
            required: [sizes]
            properties:
              colors:
                description: "one|two <names>"
                type: object
                maxProperties: 3
                additionalProperties:
                  type: string
                  maxLength: 5
                  x-kubernetes-validations: [{rule: "true", message: no such color}]
              size:
                type: string
                x-kubernetes-validations: [{rule: "false", message: write sizes}]
              sizes:
                type: array
                x-kubernetes-list-type: set
                minItems: 1
                items: {type: string, enum: [S, M]}
`), 0o600))
	var out strings.Builder
	require.NoError(t, run(&out, []string{dir}))
	assert.NotContains(t, out.String(), "write sizes", "a refused field is left out")
	assert.Contains(t, out.String(), "`apiVersion: example.com/v1`, scope namespaced, short name `s`, `smp`, category `all`.\n")
	assert.Contains(t, out.String(), "| `spec.sizes` | set of strings, required |  Items: at least 1. Each: one of `S`, `M`. | |\n"+
		"| `spec.colors` | map of strings, optional | one\\|two &lt;names> Keys: at most 3. Each value: at most 5 characters. | “no such color” |\n")
}

func TestBadInputIsNamed(t *testing.T) {
	empty := t.TempDir()
	odd := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(odd, "odd.yaml"), []byte("kind: [\n"), 0o600))
	tests := map[string]struct {
		args []string
		want string
	}{
		"no directory":       {nil, "usage: apidoc <directory of CustomResourceDefinitions>"},
		"nothing to read":    {[]string{empty}, "there is no *.yaml in " + empty},
		"no definition here": {[]string{odd}, "is no CustomResourceDefinition"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, run(&strings.Builder{}, test.args), test.want)
		})
	}
}
