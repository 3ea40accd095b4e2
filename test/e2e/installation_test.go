package e2e_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"projection.sh/operator/test/env"
)

const (
	release = "projection"
	// system is the namespace of the installation.
	system = "projection-system"

	// timeout bounds how long a test waits for what is to happen. It is generous: a limit on speed belongs into a benchmark.
	timeout = time.Minute
)

// installation is a release of the chart.
type installation struct {
	t    *testing.T
	kube *kubernetes.Clientset
}

// install installs the chart with the values, until the test ends, into a namespace that has the strictest standard for
// pods.
func install(t *testing.T, values string) *installation {
	t.Helper()
	i := &installation{t: t, kube: kubernetes.NewForConfigOrDie(cluster.Config)}
	labelled(t, system, `pod-security.kubernetes.io/enforce: restricted`)
	i.helm("install", release, env.Chart(), "--values", file(t, values))
	t.Cleanup(func() {
		_, err := cluster.Helm(context.Background(), "uninstall", release, "--namespace", system, "--ignore-not-found")
		assert.NoError(t, err)
	})
	return i
}

// upgrade changes values of the release, and keeps the others.
func (i *installation) upgrade(values string) {
	i.t.Helper()
	i.helm("upgrade", release, env.Chart(), "--reset-then-reuse-values", "--values", file(i.t, values))
}

func (i *installation) helm(args ...string) {
	i.t.Helper()
	_, err := cluster.Helm(i.t.Context(), append(args, "--namespace", system)...)
	require.NoError(i.t, err)
}

// deployment returns the one of the installation, as the cluster has it.
func (i *installation) deployment() *appsv1.Deployment {
	i.t.Helper()
	list, err := i.kube.AppsV1().Deployments(system).List(i.t.Context(), metav1.ListOptions{})
	require.NoError(i.t, err)
	require.Len(i.t, list.Items, 1)
	return &list.Items[0]
}

// pods waits until the cluster has accepted a pod for every replica.
func (i *installation) pods() {
	i.t.Helper()
	wanted := int(*i.deployment().Spec.Replicas)
	require.Eventually(i.t, func() bool {
		list, err := i.kube.CoreV1().Pods(system).List(i.t.Context(), metav1.ListOptions{})
		return err == nil && len(list.Items) == wanted
	}, timeout, env.Interval, "the API server refuses the pods; describe the ReplicaSet")
}

// leader waits until a replica other than the former leads, and returns its name.
func (i *installation) leader(former string) string {
	i.t.Helper()
	var holder string
	require.Eventually(i.t, func() bool {
		lease, err := i.kube.CoordinationV1().Leases(system).Get(i.t.Context(), "projection.sh", metav1.GetOptions{})
		if err != nil || lease.Spec.HolderIdentity == nil {
			return false
		}
		holder = *lease.Spec.HolderIdentity
		return holder != "" && holder != former
	}, timeout, env.Interval, "nobody leads")
	return holder
}

// color returns what a ConfigMap or Secret says of it; nothing if there is none.
func (i *installation) color(kind, namespace, name string) string {
	i.t.Helper()
	if kind == "secret" {
		secret, err := i.kube.CoreV1().Secrets(namespace).Get(i.t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return ""
		}
		return string(secret.Data["color"])
	}
	configMap, err := i.kube.CoreV1().ConfigMaps(namespace).Get(i.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		return ""
	}
	return configMap.Data["color"]
}

// becomes waits until a ConfigMap or Secret has the color.
func (i *installation) becomes(kind, namespace, name, color string) {
	i.t.Helper()
	require.Eventually(i.t, func() bool { return i.color(kind, namespace, name) == color }, timeout, env.Interval,
		"%s %s/%s does not become %s", kind, namespace, name, color)
}

// gone waits until there is no such ConfigMap.
func (i *installation) gone(namespace, name string) {
	i.t.Helper()
	require.Eventually(i.t, func() bool {
		list, err := i.kube.CoreV1().ConfigMaps(namespace).List(i.t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + name})
		return err == nil && len(list.Items) == 0
	}, timeout, env.Interval, "ConfigMap %s/%s does not go", namespace, name)
}

// file returns the path of a file with the content.
func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.yaml")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// namespaces creates namespaces.
func namespaces(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		_, err := kubernetes.NewForConfigOrDie(cluster.Config).CoreV1().Namespaces().
			Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
}

// labelled applies a namespace with those labels and no others.
func labelled(t *testing.T, namespace, labels string) {
	t.Helper()
	applied(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+namespace+", labels: {"+labels+"}}")
}

// applied applies a manifest as the administrator.
func applied(t *testing.T, manifest string) {
	t.Helper()
	_, err := cluster.Kubectl(t.Context(), "apply", "--filename", file(t, manifest))
	require.NoError(t, err)
}

// ready waits, as kubectl does, until the rule is ready.
func ready(t *testing.T, namespace, rule string) {
	t.Helper()
	_, err := cluster.Kubectl(t.Context(), "--namespace", namespace, "wait", "--for=condition=Ready", rule, "--timeout", timeout.String())
	require.NoError(t, err)
}

// says waits until the rule is not ready for the reason, and returns what it says.
func says(t *testing.T, namespace, rule, reason string) string {
	t.Helper()
	_, err := cluster.Kubectl(t.Context(), "--namespace", namespace, "wait", rule, "--timeout", timeout.String(),
		"--for=jsonpath={.status.conditions[?(@.type==\"Ready\")].reason}="+reason)
	require.NoError(t, err)
	message, err := cluster.Kubectl(t.Context(), "--namespace", namespace, "get", rule,
		"--output=jsonpath={.status.conditions[?(@.type==\"Ready\")].message}")
	require.NoError(t, err)
	return message
}
