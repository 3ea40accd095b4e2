package app

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCommandRefusesWhatItWouldIgnore: a command that ignored a flag or a word would do more than was asked for.
func TestCommandRefusesWhatItWouldIgnore(t *testing.T) {
	tests := map[string]struct {
		command string
		args    []string
		err     string
	}{
		"a namespace of the rules": {"delete-rules", []string{"--namespace=team"}, "flag provided but not defined: -namespace"},
		"a rule":                   {"delete-rules", []string{"team/rule"}, `"team/rule" is no flag; flags begin with --, and delete-rules takes nothing else`},
		"a flag of the manager":    {"delete-rules", []string{"--leader-elect"}, "flag provided but not defined: -leader-elect"},
		"a word after the flags":   {"trial", []string{"--namespace=team", "now"}, `"now" is no flag; flags begin with --, and trial takes nothing else`},
		"no namespace": {"trial", []string{"--kubeconfig=" + written(t, kubeconfig("https://elsewhere:6443", "there"))},
			"--namespace is missing; name the namespace in which the trial may create a ConfigMap, its copy and a rule"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.EqualError(t, runCommand(t.Context(), test.command, "test", test.args), test.err)
		})
	}
}
