package deploy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/test/env"
)

func TestNotesSayWhatFollowsFromTheValues(t *testing.T) {
	const warning, wait = "WARNING: sourceMode is permissive", "wait for ever for the rules to go"
	tests := map[string]struct {
		values      string
		says, omits []string
	}{
		"defaults":         {"", []string{"projection.sh/projectable=true", "rollout status deployment/projection", "helm -n projection-system test projection"}, []string{warning, wait, "Only these kinds"}},
		"permissive":       {"sourceMode: permissive", []string{"projection.sh/projectable=false", warning}, nil},
		"permissive apart": {"sourceMode: permissive\nrbac: {aggregate: false}", nil, []string{warning}},
		"definitions go":   {"crds: {keep: false}", []string{wait}, nil},
		"rules go first":   {"crds: {keep: false}\nuninstall: {deleteRules: true}", []string{"deletes the rules first"}, []string{wait, "-A --all"}},
		"no test":          {"test: {enabled: false}", nil, []string{"helm -n projection-system test"}},
		"some kinds": {
			`supportedKinds: [{apiGroup: "", resources: [secrets]}, {apiGroup: apps, resources: ["*"]}]`,
			[]string{"Only these kinds may be copied; core: secrets; apps: *."}, nil,
		},
		"no kind": {"supportedKinds: []", []string{"Only these kinds may be copied: none."}, nil},
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
