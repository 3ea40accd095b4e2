package e2e_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shop is a namespace with sources of two kinds, a rule for each, and a source that does not consent.
const shop = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: $NAME, annotations: {projection.sh/projectable: "true"}}
data: {color: red}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: quiet, namespace: $NAME}
data: {color: grey}
---
apiVersion: v1
kind: Secret
metadata: {name: password, namespace: $NAME, annotations: {projection.sh/projectable: "true"}}
stringData: {color: red}
---
apiVersion: projection.sh/v1
kind: Projection
metadata: {name: settings, namespace: $NAME}
spec: {source: {kind: ConfigMap, namespace: $NAME, name: settings}, destination: {name: settings-copy}}
---
apiVersion: projection.sh/v1
kind: Projection
metadata: {name: quiet, namespace: $NAME}
spec: {source: {kind: ConfigMap, namespace: $NAME, name: quiet}, destination: {name: quiet-copy}}
---
apiVersion: projection.sh/v1
kind: Projection
metadata: {name: password, namespace: $NAME}
spec: {source: {kind: Secret, namespace: $NAME, name: password}, destination: {name: password-copy}}
`

// open opens a shop in a new namespace.
func open(t *testing.T, namespace string) {
	t.Helper()
	namespaces(t, namespace)
	applied(t, strings.ReplaceAll(shop, "$NAME", namespace))
}

// paint changes the color of a source of the shop.
func paint(t *testing.T, kind, namespace, name, color string) {
	t.Helper()
	field := map[string]string{"configmap": "data", "secret": "stringData"}[kind]
	_, err := cluster.Kubectl(t.Context(), "--namespace", namespace, "patch", kind, name, "--type=merge", "--patch", `{"`+field+`":{"color":"`+color+`"}}`)
	require.NoError(t, err)
}

func TestUpgradeNarrowsTheKindsAndWidensTheMode(t *testing.T) {
	i := install(t, "")
	former := i.start()
	open(t, "upgraded")
	ready(t, "upgraded", "projection/settings")
	ready(t, "upgraded", "projection/password")
	says(t, "upgraded", "projection/quiet", "SourceNotProjectable")

	i.upgrade(`{sourceMode: permissive, supportedKinds: [{apiGroup: "", resources: [configmaps]}]}`)
	require.NoError(t, former.Stop())
	assert.Contains(t, i.deployment().Spec.Template.Spec.Containers[0].Args, "--source-mode=permissive")
	i.start()

	ready(t, "upgraded", "projection/quiet")
	i.becomes("configmap", "upgraded", "quiet-copy", "grey")
	message := says(t, "upgraded", "projection/password", "SourceFetchFailed")
	assert.Contains(t, message, `cannot list resource "secrets"`)
	_, err := cluster.Kubectl(t.Context(), "--namespace", "upgraded", "wait", "projection/password", "--for=condition=Stalled", "--timeout=0")
	require.NoError(t, err, "a pipeline need not wait for it")
	paint(t, "secret", "upgraded", "password", "blue")
	paint(t, "configmap", "upgraded", "settings", "blue")
	i.becomes("configmap", "upgraded", "settings-copy", "blue")
	assert.Equal(t, "red", i.color("secret", "upgraded", "password-copy"), "an operator that cannot see deletes and changes nothing")

	i.upgrade(`supportedKinds: null`)
	ready(t, "upgraded", "projection/password")
	i.becomes("secret", "upgraded", "password-copy", "blue")
}

func TestLeaderIsKilledAndTheOtherReplicaTakesOver(t *testing.T) {
	i := install(t, "{replicas: 2, leaderElection: {leaseDuration: 5s}}")
	i.pods()
	first := i.start()
	leader := i.leader("")
	i.start()
	open(t, "replicated")
	ready(t, "replicated", "projection/settings")
	assert.Equal(t, leader, i.leader(""), "the second replica stands by")

	first.Kill()
	paint(t, "configmap", "replicated", "settings", "blue")
	i.leader(leader)
	i.becomes("configmap", "replicated", "settings-copy", "blue")
}

func TestUninstall(t *testing.T) {
	i := install(t, "")
	last := i.start()
	open(t, "left")
	ready(t, "left", "projection/settings")

	_, err := cluster.Kubectl(t.Context(), "delete", "projections.projection.sh,clusterprojections.projection.sh",
		"--all-namespaces", "--all", "--timeout", timeout.String())
	require.NoError(t, err)
	i.gone("left", "settings-copy")
	require.NoError(t, last.Stop())
	i.helm("uninstall", release)

	out, err := cluster.Kubectl(t.Context(), "get", "deployments,services,serviceaccounts,roles,clusterroles,rolebindings,clusterrolebindings",
		"--all-namespaces", "--selector", "app.kubernetes.io/instance="+release, "--output=name")
	require.NoError(t, err)
	assert.Empty(t, out)
	assert.Equal(t, "red", i.color("configmap", "left", "settings"), "sources stay")
	_, err = cluster.Kubectl(t.Context(), "delete", "namespace", "left", "--timeout", timeout.String())
	require.NoError(t, err, "nothing holds it")
}
