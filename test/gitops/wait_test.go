package gitops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// wait does what kubectl wait does for a rule in the namespace.
func wait(t *testing.T, namespace, rule, timeout string) error {
	t.Helper()
	_, err := cluster.Kubectl(t.Context(), "--namespace", namespace, "wait", "--for=condition=Ready", rule, "--timeout", timeout)
	return err
}

func TestKubectlWaitsForReady(t *testing.T) {
	w := newWorld(t)
	fanOut, rule := w.Apply(clusterProjection), w.Apply(unlabelled(projection))
	require.ErrorContains(t, wait(t, w.Away, "projection/rule", "0"), "condition not met", "a rule that nobody looked at is not ready")

	w.Merge(rule, `{"metadata":{"labels":{"served":""}},"spec":{"destination":{"name":"other"}}}`)
	w.Apply(source)
	require.NoError(t, wait(t, w.Away, "projection/rule", env.Timeout.String()))
	require.NoError(t, wait(t, w.Away, "clusterprojection/"+fanOut.GetName(), env.Timeout.String()))

	rule = w.says(rule, v1.ReasonProjected)
	w.Merge(rule, `{"metadata":{"labels":{"served":null}},"spec":{"destination":{"name":"third"}}}`)
	require.ErrorContains(t, wait(t, w.Away, "projection/rule", "0"), "condition not met", "an edit that nobody looked at is not ready")
	w.Merge(rule, serve)
	require.NoError(t, wait(t, w.Away, "projection/rule", env.Timeout.String()))
}
