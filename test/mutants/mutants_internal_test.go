package main

import (
	"errors"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

func TestMutantsAreOfTheCodeThatThereIs(t *testing.T) {
	mutants, err := all()
	require.NoError(t, err)
	names, quick := map[string]bool{}, 0
	for _, m := range mutants {
		assert.False(t, names[m.Name], "two mutants are called %q", m.Name)
		names[m.Name] = true
		assert.NotEqual(t, m.Old, m.New, m.Name)
		content, err := m.content()
		if assert.NoError(t, err) {
			_, err = parser.ParseFile(token.NewFileSet(), m.File, content, parser.SkipObjectResolution)
			assert.NoError(t, err, m.Name)
		}
		assert.True(t, hasTest(t, m.Package, m.topTest()), "%s: there is no %s in %s", m.Name, m.topTest(), m.Package)
		isQuick, err := m.quick()
		require.NoError(t, err)
		if isQuick {
			quick++
		}
	}
	assert.Greater(t, quick, 30)
	assert.Greater(t, len(names), 36)
}

// hasTest reports whether a file of the package declares the test.
func hasTest(t *testing.T, pkg, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(env.Root(), pkg, "*_test.go"))
	require.NoError(t, err)
	declaration := regexp.MustCompile(`(?m)^func ` + name + `\(t \*testing\.T\)`)
	for _, file := range files {
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		if declaration.Match(code) {
			return true
		}
	}
	return false
}

func TestOnlyATestThatFailsKillsAMutant(t *testing.T) {
	failed := errors.New("exit status 1")
	m := mutant{Name: "m", Package: "components/lane", Test: "TestOne/a case"}
	tests := map[string]struct {
		output string
		err    error
		killed bool
	}{
		"the test fails":           {"--- FAIL: TestOne (0.00s)\n    --- FAIL: TestOne/a_case (0.00s)\nFAIL", failed, true},
		"the test passes":          {"ok  \tprojection.sh/operator/components/lane\t0.1s", nil, false},
		"there is no such test":    {"ok  \tprojection.sh/operator/components/lane\t0.1s [no tests to run]", nil, false},
		"it does not compile":      {"lane.go:1:1: syntax error\nFAIL\tprojection.sh/operator/components/lane [build failed]", failed, false},
		"another test fails":       {"--- FAIL: TestTwo (0.00s)\nFAIL", failed, false},
		"the program panics":       {"panic: boom\n\ngoroutine 1 [running]:", failed, true},
		"the test does not end":    {"\npanic: test timed out after 15m0s\nrunning tests:\n\tTestOne (15m0s)", failed, false},
		"there is no API server":   {"cannot build the control plane\nFAIL\tprojection.sh/operator/components/lane\t0.1s", failed, false},
		"the test was not reached": {"FAIL\tprojection.sh/operator/components/lane [setup failed]", failed, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := m.verdict(test.output, test.err)
			assert.Equal(t, test.killed, err == nil, "%v", err)
		})
	}
	assert.Equal(t, "^TestOne$/^a_case$", m.pattern())
}
