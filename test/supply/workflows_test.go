package supply_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/test/env"
)

// workflow is what the tests look at of one.
type workflow struct {
	Permissions map[string]string `json:"permissions"`
	Jobs        map[string]job    `json:"jobs"`
}

type job struct {
	Uses     string `json:"uses"`
	Timeout  int    `json:"timeout-minutes"`
	Strategy struct {
		Matrix struct {
			Include []map[string]string `json:"include"`
		} `json:"matrix"`
	} `json:"strategy"`
	Steps []struct {
		Uses string         `json:"uses"`
		Run  string         `json:"run"`
		With map[string]any `json:"with"`
	} `json:"steps"`
}

// workflows returns all of them by the name of their file.
func workflows(t *testing.T) map[string]workflow {
	t.Helper()
	files, err := filepath.Glob(fromTop(".github/workflows/*.yml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	found := map[string]workflow{}
	for _, file := range files {
		var parsed workflow
		require.NoError(t, yaml.Unmarshal(read(t, file), &parsed), file)
		require.NotEmpty(t, parsed.Jobs, file)
		found[filepath.Base(file)] = parsed
	}
	return found
}

func fromTop(path string) string { return filepath.Join(env.Root(), path) }

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return content
}

// pinned is an action at one commit: a tag can be moved.
var pinned = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)

func TestWorkflowsMayReadAndNoMore(t *testing.T) {
	for name, flow := range workflows(t) {
		assert.Equal(t, map[string]string{"contents": "read"}, flow.Permissions, "%s: what a job needs beyond that, it asks for itself", name)
	}
}

func TestActionsArePinned(t *testing.T) {
	for name, flow := range workflows(t) {
		for id, job := range flow.Jobs {
			if job.Uses != "" {
				_, err := os.Stat(fromTop(job.Uses))
				require.NoError(t, err, "%s: %s", name, id)
				continue
			}
			assert.Positive(t, job.Timeout, "%s: %s has no end", name, id)
			for _, step := range job.Steps {
				assert.True(t, step.Uses == "" || pinned.MatchString(step.Uses), "%s: %s", name, step.Uses)
			}
		}
	}
}

// made is a target that a step makes, and a target that the Makefile has.
var (
	made    = regexp.MustCompile(`(?m)^\s*make ([\w/-]+)`)
	targets = regexp.MustCompile(`(?m)^([a-z-]+|bin/%):`)
)

func TestWorkflowsMakeWhatThereIs(t *testing.T) {
	var known []string
	for _, target := range targets.FindAllStringSubmatch(string(read(t, fromTop("Makefile"))), -1) {
		known = append(known, target[1])
	}
	require.Contains(t, known, "test")
	wanted := 0
	for name, flow := range workflows(t) {
		for _, job := range flow.Jobs {
			for _, step := range job.Steps {
				for _, target := range made.FindAllStringSubmatch(step.Run, -1) {
					wanted++
					if tool := filepath.Base(target[1]); target[1] == "bin/"+tool {
						_, err := os.Stat(fromTop("test/tools/" + tool + ".mod"))
						assert.NoError(t, err, name)
						continue
					}
					assert.Contains(t, known, target[1], name)
				}
			}
		}
	}
	assert.Positive(t, wanted)
}

var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\)`)

func TestEveryFuzzTargetIsFuzzed(t *testing.T) {
	var fuzzed, written []string
	for _, run := range workflows(t)["fuzz.yml"].Jobs["fuzz"].Strategy.Matrix.Include {
		fuzzed = append(fuzzed, run["package"]+" "+run["target"])
	}
	for _, top := range []string{"api", "cmd", "components", "mutations", "primitives"} {
		require.NoError(t, filepath.WalkDir(fromTop(top), func(path string, _ os.DirEntry, err error) error {
			if err != nil || !matches(`_test\.go$`, path) {
				return err
			}
			folder, err := filepath.Rel(env.Root(), filepath.Dir(path))
			for _, target := range fuzzTarget.FindAllStringSubmatch(string(read(t, path)), -1) {
				written = append(written, "./"+folder+" "+target[1])
			}
			return err
		}))
	}
	slices.Sort(fuzzed)
	slices.Sort(written)
	assert.Equal(t, written, fuzzed)
}

func matches(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }
