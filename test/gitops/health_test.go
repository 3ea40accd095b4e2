package gitops_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// ofOtherCluster is why a reason has no state if it is about a RemoteCluster: the operator here runs without them.
const ofOtherCluster = "it takes an operator with RemoteClusters; the conditions are those of SourceFetchFailed and DestinationWriteFailed"

// stateless are the reasons that no state has, and why.
var stateless = map[string]string{
	v1.ReasonResolved:                  "it is SourceResolved's, when all is well",
	v1.ReasonSourceNotResolved:         "it is DestinationWritten's, and never Ready's",
	v1.ReasonDestinationNotHealthy:     "it takes controllers that make a copy healthy or not; the conditions are those of other failed copies",
	v1.ReasonDestinationFetchFailed:    "it takes an API server that fails half way",
	v1.ReasonNamespaceResolutionFailed: "it takes an API server that fails half way",
	v1.ReasonRuleNotSelected:           "it takes an operator that selects rules; the conditions are those of other stalled rules",
	v1.ReasonInternalError:             "it takes a bug of the operator",

	v1.ReasonSourceNotExportable:       ofOtherCluster,
	v1.ReasonSourceClusterNotFound:     ofOtherCluster,
	v1.ReasonSourceClusterNotPermitted: ofOtherCluster,
	v1.ReasonSourceClusterUnreachable:  ofOtherCluster,
	v1.ReasonSourceClusterChanged:      ofOtherCluster,
	v1.ReasonClusterUnreachable:        ofOtherCluster,
	v1.ReasonClusterNotFound:           ofOtherCluster,
	v1.ReasonClusterNotPermitted:       ofOtherCluster,
	v1.ReasonClusterChanged:            ofOtherCluster,
}

// TestEveryStateIsUnderstood looks at live rules as Flux and Argo CD do.
func TestEveryStateIsUnderstood(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(env.Root(), "deploy", "argocd", "health.lua"))
	require.NoError(t, err)
	var seen sync.Map
	t.Run("states", func(t *testing.T) {
		for name, test := range states {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if ready := test.check(t, string(script)); ready != "" {
					seen.Store(ready, true)
				}
			})
		}
	})
	for _, reason := range reasons(t) {
		_, known := seen.Load(reason)
		assert.NotEqual(t, known, stateless[reason] != "", "%s is to have a state, or an excuse", reason)
	}
}

// check brings a rule into the state, asks the tools, and returns the reason that the rule gives.
func (s state) check(t *testing.T, script string) string {
	t.Helper()
	w := newWorld(t)
	rule := s.bring(w)
	t.Cleanup(func() { w.Delete(rule) })
	computed, err := status.Compute(rule)
	require.NoError(t, err)
	assert.Equal(t, s.kstatus, computed.Status, computed.Message)
	health := argoHealth(t, rule, script)
	assert.Equal(t, s.argo, health.Status, health.Message)
	assert.NotEmpty(t, health.Message)
	ready := meta.FindStatusCondition(w.Conditions(rule), v1.ConditionReady)
	if ready == nil {
		return ""
	}
	if s.argo == degraded {
		assert.Equal(t, ready.Message, computed.Message)
		assert.Equal(t, ready.Reason+": "+ready.Message, health.Message)
	}
	return ready.Reason
}

// reasons returns those that conditions may have, as the API declares them: its constants but for the last group, which is
// of events only.
func reasons(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(env.Root(), "api", "v1", "conditions.go"), nil, 0)
	require.NoError(t, err)
	require.Len(t, file.Decls, 3)
	declaration, ok := file.Decls[1].(*ast.GenDecl)
	require.True(t, ok)
	var found []string
	for _, spec := range declaration.Specs {
		constant, ok := spec.(*ast.ValueSpec)
		require.True(t, ok)
		literal, ok := constant.Values[0].(*ast.BasicLit)
		require.True(t, ok)
		found = append(found, strings.Trim(literal.Value, `"`))
	}
	require.NotEmpty(t, found)
	return found
}
