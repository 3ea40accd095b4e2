package deploy_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
)

var manifest = filepath.Join(env.Root(), "deploy", "install.yaml")

// The definitions are large, and kubectl apply keeps what it applied in an annotation of limited size.
func TestManifestIsInstalledByEveryKindOfApply(t *testing.T) {
	for name, how := range map[string][]string{"client-side": {"apply"}, "server-side": {"apply", "--server-side"}} {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() {
				_, err := cluster.Kubectl(context.Background(), "delete", "--filename", manifest, "--ignore-not-found", "--timeout", later.String())
				assert.NoError(t, err)
			})
			first := kubectl(t, append(how, "--filename", manifest)...)
			assert.Contains(t, first, "deployment.apps/projection-manager ")
			assert.NotContains(t, kubectl(t, append(how, "--filename", manifest)...), " configured", "to apply again changes nothing")
			o := operate(t, "projection-manager")
			s := newStory(t)
			rule := s.project()
			s.Ready(rule)
			s.Delete(rule)
			s.Gone(rule)
			require.NoError(t, o.Stop())
		})
	}
}

func TestManifestAndOverlaysAreAccepted(t *testing.T) {
	content, err := os.ReadFile(manifest)
	require.NoError(t, err)
	accepts(t, string(content))
	accepts(t, overlay(t))
	assert.Len(t, objects(t, kustomize(t, filepath.Join(env.Root(), "config", "samples"))), 46)
}

// A namespace that enforces the strictest Pod Security Standard takes the operator's pods.
func TestPodsAreRestricted(t *testing.T) {
	install(t, "crds: {install: false}")
	client := kubernetes.NewForConfigOrDie(cluster.Config)
	require.Eventually(t, func() bool {
		pods, err := client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/instance=" + release})
		require.NoError(t, err)
		return len(pods.Items) == 1
	}, env.Timeout, env.Interval)

	loose := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "loose"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "loose", Image: "loose"}}},
	}
	_, err := client.CoreV1().Pods(namespace).Create(t.Context(), loose, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	require.ErrorContains(t, err, "violates PodSecurity", "the namespace enforces it")
	container := the[appsv1.Deployment](t, mustTemplate(t), "Deployment", release).Spec.Template.Spec.Containers[0]
	assert.True(t, *container.SecurityContext.ReadOnlyRootFilesystem)
}

// The manager takes every argument that the chart gives it, and complains of nothing but the missing API server.
func TestManagerTakesTheArguments(t *testing.T) {
	for name, values := range map[string]string{
		"defaults": "",
		"others": `
sourceMode: permissive
requeueInterval: 1m30s
selectorExcludedNamespaces: []
watchLabelSelector: "shard in (a,b), !old"
leaderElection: {leaseDuration: 1m}
logging: {level: 2, format: console}
metrics: {secure: false, port: 9090}
extraArgs: ["--enable-http2"]`,
		"without": `
leaderElection: {enabled: false}
metrics: {enabled: false}
logging: {level: error}`,
	} {
		t.Run(name, func(t *testing.T) {
			args := pod(t, mustTemplate(t, values), release).Containers[0].Args
			err := app.Main(t.Context(), "test", append(args, "--kubeconfig="+filepath.Join(t.TempDir(), "missing")))
			require.ErrorContains(t, err, "find the API server (--kubeconfig)")
		})
	}
}

// Whoever installs without the chart runs the manager with the defaults of its flags.
func TestDefaultsOfTheChartAreTheManagers(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(env.Chart(), "values.yaml"))
	require.NoError(t, err)
	var values struct {
		SourceMode                 string
		RequeueInterval            metav1.Duration
		MaxConcurrentReconciles    int
		SelectorWriteConcurrency   int
		SelectorExcludedNamespaces []string
		WatchLabelSelector         string
		LeaderElection             struct {
			Enabled       bool
			LeaseDuration metav1.Duration
		}
		Metrics struct {
			Enabled, Secure bool
		}
	}
	require.NoError(t, yaml.Unmarshal(content, &values))
	chosen := app.Defaults()
	chosen.SourceMode, chosen.RequeueInterval = values.SourceMode, values.RequeueInterval.Duration
	chosen.MaxConcurrentReconciles, chosen.SelectorWriteConcurrency = values.MaxConcurrentReconciles, values.SelectorWriteConcurrency
	chosen.SelectorExcludedNamespaces = strings.Join(values.SelectorExcludedNamespaces, ",")
	chosen.WatchLabelSelector = values.WatchLabelSelector
	chosen.LeaderElect, chosen.LeaderElectionLeaseDuration = values.LeaderElection.Enabled, values.LeaderElection.LeaseDuration.Duration
	chosen.MetricsSecure = values.Metrics.Secure
	assert.Equal(t, app.Defaults(), chosen)
	args := pod(t, mustTemplate(t), release).Containers[0].Args
	assert.Contains(t, args, "--metrics-bind-address="+app.Defaults().MetricsBindAddress)
	assert.Contains(t, args, "--health-probe-bind-address="+app.Defaults().HealthProbeBindAddress)
}

func TestVersionsAreOne(t *testing.T) {
	content, err := os.ReadFile(manifest)
	require.NoError(t, err)
	assert.Equal(t, pod(t, mustTemplate(t), release).Containers[0].Image, pod(t, string(content), "projection-manager").Containers[0].Image)
	assert.Contains(t, helm(t, "show", "chart", env.Chart()), "appVersion: v")
}
