package cli_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env/fixture"
)

func TestPagesFollowChanges(t *testing.T) {
	b := open(t)
	lines := b.events(t)
	awaitLine(t, lines, "data: The page follows changes.")
	const enough = 6 // the first ones are about watches that begin
	for range enough {
		kubectl(t, "label", "namespace/legacy", "changed="+strconv.FormatInt(time.Now().UnixNano(), 10), "--overwrite")
		awaitLine(t, lines, "event: change")
	}
}

func TestPagesSayWhatTheyDoNotFollow(t *testing.T) {
	for as, said := range map[string]string{
		"nobody-in-particular": "The page does not follow changes: you may not watch clusterprojections.projection.sh,",
		"watcher":              "data: The page follows changes, but not those of clusterprojections.projection.sh, copies in configmaps of other namespaces,",
	} {
		awaitLine(t, open(t, "--as="+as, "-n=tenant-a").events(t), said)
	}
}

func TestPagesSayWhatTheCallerMayNotRead(t *testing.T) {
	b := open(t, "--as=tenant")
	assert.Contains(t, b.get(t, "/", http.StatusOK), "? you may not list clusterprojections")
	assert.Contains(t, b.get(t, "/rules/projection/tenant-a/app-config", http.StatusOK), "unknown")
	assert.NotContains(t, b.get(t, "/problems", http.StatusOK), "There are no findings.", "rules that may not be read may have problems")
	for _, path := range []string{"/rules/clusterprojection/base", "/rules/clusterprojection/base/in/tenant-a"} {
		assert.Contains(t, b.get(t, path, http.StatusOK), "? you may not read the ClusterProjection base", path)
	}
	assert.NotContains(t, b.get(t, "/objects/configmap/tenant-a/shared-config", http.StatusOK), "No rule copies it.", "rules that may not be read may copy it")
	ofOne := open(t, "--as=tenant", "-n=tenant-a")
	assert.Contains(t, ofOne.get(t, "/", http.StatusOK), "Projection tenant-a/app-config")
	assert.Contains(t, ofOne.get(t, "/problems", http.StatusOK), "kubectl projection tree projection/ca -n tenant-a", "what it may read")
}

func TestPageOfANamespaceAsksOnceForEachRule(t *testing.T) {
	const sources = 12
	var objects strings.Builder
	for i := range sources {
		fmt.Fprintf(&objects, `
apiVersion: v1
kind: ConfigMap
metadata: {name: counted-%d, namespace: platform, labels: {counted: "true"}, annotations: {projection.sh/projectable: "true"}}
---`, i)
	}
	objects.WriteString(`
apiVersion: projection.sh/v1
kind: Projection
metadata: {name: counted, namespace: strict}
spec: {source: {kind: ConfigMap, namespace: platform, selector: {matchLabels: {counted: "true"}}}}
`)
	file := filepath.Join(t.TempDir(), "counted.yaml")
	require.NoError(t, os.WriteFile(file, []byte(objects.String()), 0o600))
	t.Cleanup(func() {
		_, err := cluster.Kubectl(context.Background(), "delete", "-f", file) // the context of the test has ended
		assert.NoError(t, err)
	})
	kubectl(t, "apply", "-f", file)
	require.NoError(t, wait(t.Context(), "true", "strict", "projection/counted"))

	kubectl(t, "label", "configmap/counted-0", "-n", "strict", "projection.sh/owned-by-cluster-projection-uid=of-a-former-rule")
	const user = "counted-user"
	config, err := cluster.KubeConfigFor(user, "system:masters")
	require.NoError(t, err)
	b := open(t, "--kubeconfig="+config)
	mark := fixture.Mark(t, cluster)
	assert.Contains(t, b.get(t, "/namespaces/strict", http.StatusOK), "All 12 ")
	requests := len(fixture.RequestsSince(t, cluster, mark, user))
	assert.Positive(t, requests)
	assert.Less(t, requests, 2*sources+20, "two for each source, and some lists")
}
