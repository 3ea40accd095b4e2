package cli_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/kubectl-projection/internal/cli"
)

// orphaned creates objects as they are left in another cluster. The cluster of the test is both.
func orphaned(t *testing.T) {
	t.Helper()
	hub := kubectl(t, "get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}")
	objects, err := os.ReadFile(filepath.Join("testdata", "orphans.yaml"))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "orphans.yaml")
	require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(objects, []byte("HUB"), []byte(hub)), 0o600))
	create(t, file)
	create(t, "testdata/remoteclusters.yaml")
	report(t, v1alpha1.GroupVersion.WithResource("remoteclusters"), "eu-1", `{"status":{"identity":"`+hub+`"}}`)
	report(t, v1alpha1.GroupVersion.WithResource("remoteclusters"), "own", `{"status":{"identity":"`+hub+`"}}`)
}

// answering runs the plugin for somebody who answers when asked.
func answering(t *testing.T, answer io.Reader, command string) (printed string, code int) {
	t.Helper()
	var out bytes.Buffer
	streams := genericiooptions.IOStreams{In: answer, Out: &out, ErrOut: &out}
	code = cli.New("v0.1.0", streams).Run(t.Context(), append(strings.Fields(command), "--kubeconfig", cluster.KubeConfig, "--cache-dir", t.TempDir()))
	return out.String(), code
}

// reader calls the function before somebody answers.
type reader struct {
	io.Reader
	before func()
}

func (r reader) Read(into []byte) (int, error) {
	r.before()
	return r.Reader.Read(into)
}

func left(t *testing.T) string {
	t.Helper()
	return kubectl(t, "get", "configmaps,secrets,roles", "-A", "-l", "projection.sh/hub-"+kubectl(t, "get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}"), "-o", "name")
}

func TestOrphans(t *testing.T) {
	orphaned(t)
	all := left(t)
	golden(t, "orphans",
		"orphans own",
		"orphans own --kinds secrets,roles.rbac.authorization.k8s.io -o json",
		"orphans own --kinds configmaps -o name",
		"orphans own --kinds configmaps --no-headers",
		"orphans own --kinds configmaps --delete --dry-run=client",
		"orphans own --kinds configmaps --delete --dry-run=server",
		"orphans own --kinds configmaps --delete",
		"orphans own --kinds serviceaccounts --delete --yes",
	)
	golden(t, "orphans-refused",
		"orphans own --yes",
		"orphans own --delete -o json",
		"orphans own --kinds nothings",
		"orphans eu-1",
		"orphans eu-1 --remote-context nothing",
		"orphans eu-9",
		"orphans eu-2 --remote-context="+kubectl(t, "config", "current-context"),
		"orphans own --as=tenant",
		"orphans own --kinds configmaps --delete --yes --as=orphan-reader",
	)
	assert.Equal(t, all, left(t), "nothing is deleted")
}

func TestOrphansAreDeleted(t *testing.T) {
	orphaned(t)
	command := "orphans eu-1 --delete --remote-kubeconfig " + cluster.KubeConfig
	printed, code := answering(t, strings.NewReader("no\n"), command)
	assert.Zero(t, code)
	assert.Contains(t, printed, "Delete 3 objects in the cluster eu-1? [y/N] Nothing is deleted.")

	change := func() { kubectl(t, "label", "configmap/orphan", "-n", "legacy", "changed=true") }
	printed, code = answering(t, reader{strings.NewReader("y\n"), sync.OnceFunc(change)}, command)
	assert.Equal(t, 2, code)
	assert.Contains(t, printed, "configmap/orphan in the namespace legacy has changed since it was listed, and stays")
	assert.Contains(t, printed, "secret/orphan in the namespace legacy deleted")
	assert.Contains(t, printed, "role.rbac.authorization.k8s.io/orphan in the namespace web-1 deleted")
	assert.NotContains(t, printed, "never printed", "the value of a Secret")

	printed, code = run(t, strings.Fields(command+" --yes")...)
	assert.Zero(t, code, printed)
	assert.Contains(t, printed, "configmap/orphan in the namespace legacy deleted")
	assert.Equal(t, "configmap/labelled-only configmap/made-from-one configmap/of-a-kind-that-is-unknown configmap/of-a-rule configmap/of-another-hub",
		strings.Join(strings.Fields(left(t)), " "), "what is no orphan stays")
}

func TestOrphansNeedTheIdentityOfTheCluster(t *testing.T) {
	orphaned(t)
	remotes := v1alpha1.GroupVersion.WithResource("remoteclusters")
	report(t, remotes, "eu-1", `{"status":{"identity":"5b7d6c1e-9f0a-4c0e-8a53-6f8e6f2d9b11"}}`)
	command := strings.Fields("orphans eu-1 --delete --yes --remote-kubeconfig " + cluster.KubeConfig)
	printed, code := run(t, command...)
	assert.Equal(t, 2, code)
	assert.Contains(t, printed, "this is another cluster than eu-1")
	report(t, remotes, "eu-1", `{"status":{"identity":null}}`)
	printed, code = run(t, command...)
	assert.Equal(t, 2, code)
	assert.Contains(t, printed, "has no identity")
	assert.Contains(t, left(t), "configmap/orphan")
}
