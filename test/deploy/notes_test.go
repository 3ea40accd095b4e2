package deploy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/test/env"
)

func TestNotesSayWhatFollowsFromTheValues(t *testing.T) {
	const warning, wait = "WARNING: sourceMode is permissive", "are not deleted until the rules are"
	tests := map[string]struct {
		values      string
		says, omits []string
	}{
		"defaults":         {"", []string{"projection.sh/projectable=true", "rollout status deployment/projection", "helm -n projection-system test projection"}, []string{warning, wait, "Allowed kinds", "The documents"}},
		"permissive":       {"sourceMode: permissive", []string{"projection.sh/projectable=false", warning}, nil},
		"permissive apart": {"sourceMode: permissive\nrbac: {aggregate: false}", nil, []string{warning}},
		"definitions go":   {"crds: {keep: false}", []string{wait}, nil},
		"rules go first":   {"crds: {keep: false}\nuninstall: {deleteRules: true}", []string{"deletes the rules first"}, []string{wait, "-A --all"}},
		"documents":        {"documentation: https://docs.example.com", []string{"The documents are at https://docs.example.com."}, nil},
		"no ConfigMaps":    {`supportedKinds: [{apiGroup: "", resources: [secrets]}]`, nil, []string{"helm -n projection-system test", "projection-test"}},
		"no test":          {"test: {enabled: false}", nil, []string{"helm -n projection-system test"}},
		"some kinds": {
			`supportedKinds: [{apiGroup: "", resources: [secrets]}, {apiGroup: apps, resources: ["*"]}]`,
			[]string{"Allowed kinds; core: secrets; apps: *."}, nil,
		},
		"no kind": {"supportedKinds: []", []string{"Allowed kinds: none."}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			notes := helm(t, "install", release, env.Chart(), "--dry-run=client", "--values", file(t, test.values))
			for _, text := range test.says {
				assert.Contains(t, notes, text)
			}
			for _, text := range test.omits {
				assert.NotContains(t, notes, text)
			}
		})
	}
}
