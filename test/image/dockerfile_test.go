package image_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// instruction is one of a Dockerfile, without its flags.
type instruction struct {
	name  string
	flags []string
	rest  string
}

// stage is a FROM and what follows.
type stage struct {
	base, name string
	steps      []instruction
}

// every returns what follows the name in each instruction of that name.
func (s stage) every(name string) []string {
	var found []string
	for _, step := range s.steps {
		if step.name == name {
			found = append(found, strings.TrimSpace(strings.Join(append(step.flags, step.rest), " ")))
		}
	}
	return found
}

// dockerfile returns the arguments before the first stage, and the stages.
func dockerfile(t *testing.T) (arguments []string, stages []stage) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(env.Root(), "Dockerfile"))
	require.NoError(t, err)
	for _, step := range instructions(string(content)) {
		switch {
		case step.name == "FROM":
			base, name, _ := strings.Cut(step.rest, " AS ")
			stages = append(stages, stage{base: base, name: name})
		case len(stages) == 0:
			arguments = append(arguments, step.rest)
		default:
			last := &stages[len(stages)-1]
			last.steps = append(last.steps, step)
		}
	}
	require.Len(t, stages, 2)
	return arguments, stages
}

var flags = regexp.MustCompile(`^--\S+$`)

func instructions(content string) []instruction {
	var all []instruction
	content = regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(content, "")
	for line := range strings.Lines(strings.ReplaceAll(content, "\\\n", " ")) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		step := instruction{name: words[0]}
		words = words[1:]
		for len(words) > 0 && flags.MatchString(words[0]) {
			step.flags, words = append(step.flags, words[0]), words[1:]
		}
		step.rest = strings.Join(words, " ")
		all = append(all, step)
	}
	return all
}
