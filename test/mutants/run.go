package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"projection.sh/operator/test/env"
)

// run returns nil if the test fails because of the mutant.
func (m mutant) run(ctx context.Context, dir string) error {
	overlay, err := m.overlay(dir)
	if err != nil {
		return err
	}
	arguments := append([]string{"test", "-overlay", overlay, "-vet=off", "-count=1", "-timeout=15m", "-run", m.pattern(), "."}, m.Flags...)
	test := exec.CommandContext(ctx, "go", arguments...)
	test.Dir = filepath.Join(env.Root(), m.Package) // which may be a module of its own
	output, err := test.CombinedOutput()
	return m.verdict(string(output), err)
}

// overlay writes the changed file, and what tells go test about it.
func (m mutant) overlay(dir string) (string, error) {
	content, err := m.content()
	if err != nil {
		return "", err
	}
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(env.Root(), m.File): changed}})
	if err != nil {
		return "", err
	}
	return overlay, errors.Join(os.WriteFile(changed, []byte(content), 0o600), os.WriteFile(overlay, replaced, 0o600))
}

// panicked matches the output of a test that a panic has ended.
var panicked = regexp.MustCompile(`(?m)^panic: `)

// verdict returns nil if the test has run and failed. Code that does not compile proves nothing, and neither does a test that does not end.
func (m mutant) verdict(output string, err error) error {
	switch {
	case err == nil && strings.Contains(output, "no tests to run"):
		return fmt.Errorf("there is no %s in %s", m.Test, m.Package)
	case err == nil:
		return fmt.Errorf("it survives: %s %s passes", m.Package, m.Test)
	case strings.Contains(output, "--- FAIL: "+m.topTest()):
		return nil
	case panicked.MatchString(output) && !strings.Contains(output, "panic: test timed out"):
		return nil
	default:
		return fmt.Errorf("the test has not failed, but: %w\n%s", err, tail(output))
	}
}

// tail returns the last lines of the output.
func tail(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
