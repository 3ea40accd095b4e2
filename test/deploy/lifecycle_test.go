package deploy_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/test/env"
)

// deleteRules is what the chart's README tells people to do before they uninstall.
var deleteRules = []string{"delete", "projections.projection.sh,clusterprojections.projection.sh", "--all-namespaces", "--all"}

// TestUpgradeBringsNewDefinitionsAndKeepsCopies is about the chart: the operator is the same program before and after.
// Programs of two versions meet in test/upgrade.
func TestUpgradeBringsNewDefinitionsAndKeepsCopies(t *testing.T) {
	createNamespace(t, namespace)
	t.Cleanup(func() { remove(t) })
	helm(t, "install", release, earlierChart(t))
	assert.NotContains(t, definition(t), "additionalPrinterColumns")
	former := operate(t, release)
	s := newStory(t)
	rule, fanOut := s.project(), s.fanOut()
	s.Ready(rule)
	s.Ready(fanOut)
	copied := s.copied(single, nil)
	require.NoError(t, former.Stop())

	helm(t, "upgrade", release, env.Chart())
	assert.Contains(t, definition(t), "additionalPrinterColumns")
	kubectl(t, "get", "crd", "remoteclusters.projection.sh", "publishedresources.projection.sh")
	assert.Equal(t, copied, s.copied(single, nil), "nobody touches a copy meanwhile")
	operate(t, release)
	s.paint("blue")
	assert.Equal(t, copied.UID, s.copied(single, nil).UID)
	s.copied(many, nil)
	for _, over := range []client.Object{rule, fanOut} {
		s.Delete(over)
		s.Gone(over)
	}
	s.Gone(copied)
}

func TestUninstallKeepsRulesAndCopiesForAnInstallationToCome(t *testing.T) {
	install(t, "")
	former := operate(t, release)
	s := newStory(t)
	rule := s.project()
	s.Ready(rule)
	copied := s.copied(single, nil)

	require.NoError(t, former.Stop())
	helm(t, "uninstall", release)
	assert.Equal(t, copied, s.copied(single, nil))
	assert.Empty(t, kubectl(t, "get", "clusterroles,clusterrolebindings,deployments,services,serviceaccounts,roles,rolebindings",
		"--all-namespaces", "--selector", "app.kubernetes.io/instance="+release, "--output", "name"))

	helm(t, "install", release, env.Chart())
	operate(t, release)
	s.paint("blue")
	assert.Equal(t, copied.UID, s.copied(single, nil).UID)
	s.Delete(rule)
	s.Gone(rule)
}

func TestUninstallAsDocumentedLeavesNothing(t *testing.T) {
	install(t, "crds: {keep: false}")
	o := operate(t, release)
	s := newStory(t)
	rule, fanOut := s.project(), s.fanOut()
	s.Ready(rule)
	s.Ready(fanOut)

	assert.Contains(t, readme(t), "kubectl "+strings.Join(deleteRules, " ")+"\n")
	kubectl(t, append(deleteRules, "--timeout", later.String())...)
	for _, name := range []string{single, many} {
		s.Gone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.Away, Name: name}})
	}
	require.NoError(t, o.Stop())
	helm(t, "uninstall", release)
	kubectl(t, "wait", "--for=delete", "crd/projections.projection.sh", "crd/clusterprojections.projection.sh", "crd/publishedresources.projection.sh", "crd/remoteclusters.projection.sh", "--timeout", later.String())
}

func TestDefinitionsThatWaitInVainAreServedByAnotherInstallation(t *testing.T) {
	install(t, "crds: {keep: false}")
	former := operate(t, release)
	s := newStory(t)
	s.Ready(s.project())
	s.Ready(s.fanOut())
	require.NoError(t, former.Stop())
	helm(t, "uninstall", release)
	assert.Contains(t, definition(t), "deletionTimestamp", "rules hold the definitions, and nobody lets them go")

	helm(t, "install", release, env.Chart(), "--set", "crds.install=false")
	operate(t, release)
	kubectl(t, "wait", "--for=delete", "crd/projections.projection.sh", "crd/clusterprojections.projection.sh", "crd/publishedresources.projection.sh", "crd/remoteclusters.projection.sh", "--timeout", later.String())
	for _, name := range []string{single, many} {
		s.Gone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.Away, Name: name}})
	}
}

func readme(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(env.Chart(), "README.md"))
	require.NoError(t, err)
	return string(content)
}

// definition returns that of Projection, as the cluster has it.
func definition(t *testing.T) string {
	t.Helper()
	return kubectl(t, "get", "crd", "projections.projection.sh", "--output", "yaml")
}

// earlierChart returns this chart under an earlier version, with definitions that show no columns.
func earlierChart(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(env.Chart())))
	edit(t, filepath.Join(dir, "Chart.yaml"), func(content string) string {
		return strings.Replace(content, "\nversion: ", "\nversion: 0.0.1-before-", 1)
	})
	for _, later := range []string{"projection.sh_remoteclusters.yaml", "projection.sh_publishedresources.yaml"} {
		require.NoError(t, os.Remove(filepath.Join(dir, "files", "crds", later)))
	}
	require.NoError(t, filepath.WalkDir(filepath.Join(dir, "files", "crds"), func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		if !entry.IsDir() {
			edit(t, path, withoutColumns)
		}
		return nil
	}))
	return dir
}

// withoutColumns takes the first block of columns out of a definition.
func withoutColumns(definition string) string {
	before, rest, _ := strings.Cut(definition, "  - additionalPrinterColumns:\n")
	_, after, _ := strings.Cut(rest, "\n    name: v1\n")
	return before + "  - name: v1\n" + after
}

func edit(t *testing.T, path string, change func(string) string) {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	changed := change(string(content))
	require.NotEqual(t, string(content), changed)
	require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
}
