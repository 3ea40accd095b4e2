package gitops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
)

// wait does what kubectl wait does for a rule in the namespace.
func wait(t *testing.T, namespace, rule, timeout string) error {
	t.Helper()
	_, err := cluster.Kubectl(t.Context(), "--namespace", namespace, "wait", "--for=condition=Ready", rule, "--timeout", timeout)
	return err
}

func TestKubectlWaitsForReady(t *testing.T) {
	w := newWorld(t)
	fanOut, rule := w.apply(clusterProjection), w.apply(unlabelled(projection))
	require.ErrorContains(t, wait(t, w.away, "projection/rule", "0"), "condition not met", "a rule that nobody looked at is not ready")

	w.merge(rule, `{"metadata":{"labels":{"served":""}},"spec":{"destination":{"name":"other"}}}`)
	w.apply(source)
	require.NoError(t, wait(t, w.away, "projection/rule", soon.String()))
	require.NoError(t, wait(t, w.away, "clusterprojection/"+fanOut.GetName(), soon.String()))

	rule = w.says(rule, v1.ReasonProjected)
	w.merge(rule, `{"metadata":{"labels":{"served":null}},"spec":{"destination":{"name":"third"}}}`)
	require.ErrorContains(t, wait(t, w.away, "projection/rule", "0"), "condition not met", "an edit that nobody looked at is not ready")
	w.merge(rule, serve)
	require.NoError(t, wait(t, w.away, "projection/rule", soon.String()))
}
