package deploy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

// axes are choices that people make independently of each other; each has values of the chart for it.
var axes = []map[string]string{
	{
		"one replica":  "",
		"two replicas": "{replicas: 2, podDisruptionBudget: {enabled: true}, flowControl: {enabled: true}}",
		"no election":  "{leaderElection: {enabled: false}, namespaceOverride: projection-elsewhere, flowControl: {enabled: true}, networkPolicy: {enabled: true}}",
	},
	{
		"own certificate": "{serviceMonitor: {enabled: true}, prometheusRule: {enabled: true}, grafanaDashboard: {enabled: true}}",
		"cert-manager":    "{podMonitor: {enabled: true, tokenSecret: scraper}, metrics: {certificate: {certManager: {enabled: true}}}}",
		"named Secret":    "{serviceMonitor: {enabled: true}, metrics: {certificate: {secretName: metrics}}, extraVolumes: [{name: ca, configMap: {name: ca}}]}",
		"without TLS":     "{serviceMonitor: {enabled: true}, metrics: {secure: false, port: 9090}}",
		"no metrics":      "{metrics: {enabled: false}}",
	},
	{
		"tenants": `
policies: {consent: {enabled: true}, ownership: {enabled: true}, selectors: {enabled: true}, sources: {enabled: true, namespaces: [platform]}}
rbac: {aggregateClusterView: true}
uninstall: {deleteRules: true}`,
		"air-gapped": "{global: {imageRegistry: mirror.example.com, imagePullSecrets: [{name: mirror}]}, image: {digest: 'sha256:" + strings.Repeat("0", 64) + "'}}",
		"own roles":  "{rbac: {create: false}, serviceAccount: {create: false, name: robot}, crds: {install: false}, sourceMode: permissive}",
	},
}

// combinations returns the names and the values of every combination.
func combinations(axes []map[string]string) map[string][]string {
	if len(axes) == 0 {
		return map[string][]string{"": nil}
	}
	all := map[string][]string{}
	for rest, values := range combinations(axes[1:]) {
		for name, chosen := range axes[0] {
			all[strings.TrimSuffix(name+" with "+rest, " with ")] = append([]string{chosen}, values...)
		}
	}
	return all
}

// Values that are right alone are right together, and no pod loses what the Pod Security Standard "restricted" asks for.
func TestEveryCombinationOfChoicesIsAccepted(t *testing.T) {
	install(t, "")
	all := combinations(axes)
	require.Len(t, all, len(axes[0])*len(axes[1])*len(axes[2]))
	for name, values := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			manifest := mustTemplate(t, values...)
			accepts(t, manifest)
			assertRestricted(t, pod(t, manifest, release))
		})
	}
}

// assertRestricted looks for what the admission of pods would refuse. It also asserts that the user is nobody's choice: OpenShift gives
// each namespace its own range of them.
func assertRestricted(t *testing.T, pod corev1.PodSpec) {
	t.Helper()
	assert.True(t, *pod.SecurityContext.RunAsNonRoot)
	assert.Nil(t, pod.SecurityContext.RunAsUser)
	assert.Nil(t, pod.SecurityContext.FSGroup)
	assert.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, pod.SecurityContext.SeccompProfile.Type)
	for _, container := range pod.Containers {
		assert.False(t, *container.SecurityContext.AllowPrivilegeEscalation)
		assert.True(t, *container.SecurityContext.ReadOnlyRootFilesystem)
		assert.Equal(t, []corev1.Capability{"ALL"}, container.SecurityContext.Capabilities.Drop)
		assert.Nil(t, container.SecurityContext.RunAsUser)
	}
}
