package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

func TestReferenceIsUpToDate(t *testing.T) {
	committed, err := os.ReadFile(filepath.Join(env.Root(), "docs", "reference", "names.md"))
	require.NoError(t, err)
	var generated strings.Builder
	require.NoError(t, run(&generated, []string{filepath.Join(env.Root(), "api", "v1")}))
	assert.Equal(t, string(committed), generated.String(), "make generate writes it")
	for _, row := range []string{
		"| `" + v1.AnnotationSource + "` | On a copy names its source as ",
		"| `" + v1.FinalizerProjection + "` | Finalizers keep a rule until its copies are deleted. ",
		"| `" + v1.ReasonSourceOptedOut + "` | The owner of the source ",
		"| `projection_e2e_seconds` | histogram | `kind`, `event` | Propagation latency ",
		"| `projection_watched_gvks` | gauge | | Number of kinds ",
		"| `--source-mode` | `allowlist` | Consent mode: ",
		"| `--watch-label-selector` | | Reconcile only ",
	} {
		assert.Contains(t, generated.String(), row)
	}
}

// constantsIn reads a file of constants.
func constantsIn(t *testing.T, content string) ([]constant, error) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range files {
		text := "package v1\n"
		if name == files[0] {
			text += content
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return constantsOf(dir)
}

func TestConstants(t *testing.T) {
	found, err := constantsIn(t, `
// Domain is the group.
const Domain = "example.com"

// Labels of both.
const (
	// LabelOne is
	// the one | label.
	LabelOne = Domain + "/one"
	LabelTwo = Domain + "/" + "two"
	// ReasonThree: it is so.
	ReasonThree = "Three"
)
`)
	require.NoError(t, err)
	assert.Equal(t, []constant{
		{"Domain", "example.com", "The group."},
		{"LabelOne", "example.com/one", "The one | label."},
		{"LabelTwo", "example.com/two", "Labels of both."},
		{"ReasonThree", "Three", "It is so."},
	}, found)
	assert.Contains(t, page(found, nil), "| `example.com/one` | The one \\| label. |\n| `example.com/two` | Labels of both. |\n")
}

func TestBadInputIsNamed(t *testing.T) {
	for problem, content := range map[string]string{
		"LabelOne has no comment":           `const LabelOne = "a"`,
		"LabelOne: *ast.Ident is no string": "// LabelOne is it.\nconst LabelOne = Other",
		"is not one constant":               "// LabelOne is it.\nconst LabelOne, LabelTwo = \"a\", \"b\"",
		"expected":                          "const (",
	} {
		_, err := constantsIn(t, content)
		require.ErrorContains(t, err, problem)
	}
	require.ErrorContains(t, run(&strings.Builder{}, nil), "usage: namedoc")
	_, err := metricOf("Desc{}")
	require.ErrorContains(t, err, "cannot be read")
}
