package deploy_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/test/env"
)

// monitored is the chart with all that config has.
const monitored = `
serviceMonitor: {enabled: true}
prometheusRule: {enabled: true}
networkPolicy: {enabled: true}
remoteClusters: {enabled: true}
`

// Both ways to install the operator make the same of it. Where one changes, the other has to follow.
func TestChartAndKustomizeInstallTheSame(t *testing.T) {
	chart, overlay := mustTemplate(t, monitored), overlay(t)

	t.Run("rights of the operator", func(t *testing.T) {
		assert.Equal(t,
			rightsOf(the[rbacv1.ClusterRole](t, overlay, "ClusterRole", "projection-manager-role").Rules),
			rightsOf(the[rbacv1.ClusterRole](t, chart, "ClusterRole", "projection").Rules))
		assert.Equal(t,
			rightsOf(the[rbacv1.Role](t, overlay, "Role", "projection-manager-role").Rules),
			rightsOf(the[rbacv1.Role](t, chart, "Role", "projection").Rules))
	})
	t.Run("roles of users", func(t *testing.T) {
		for _, name := range []string{"projection-edit", "projection-view", "projection-cluster-admin", "projection-cluster-view", "projection-metrics-reader"} {
			ours, theirs := the[rbacv1.ClusterRole](t, overlay, "ClusterRole", name), the[rbacv1.ClusterRole](t, chart, "ClusterRole", name)
			assert.Equal(t, ours.Rules, theirs.Rules, name)
			assert.Equal(t, aggregation(ours), aggregation(theirs), name)
		}
	})
	t.Run("pod", func(t *testing.T) {
		ours, theirs := pod(t, overlay, "projection-manager"), pod(t, chart, "projection")
		theirs.Containers[0].Args, theirs.ServiceAccountName = ours.Containers[0].Args, ours.ServiceAccountName
		assert.Equal(t, ours, theirs)
	})
	t.Run("definitions", func(t *testing.T) {
		for _, name := range []string{"projections.projection.sh", "clusterprojections.projection.sh", "publishedresources.projection.sh", "remoteclusters.projection.sh"} {
			ours := the[map[string]any](t, overlay, "CustomResourceDefinition", name)
			assert.Equal(t, (*ours)["spec"], (*the[map[string]any](t, chart, "CustomResourceDefinition", name))["spec"], name)
		}
	})
	t.Run("metrics", func(t *testing.T) {
		assert.Equal(t, the[corev1.Service](t, overlay, "Service", "projection-metrics").Spec.Ports,
			the[corev1.Service](t, chart, "Service", "projection-metrics").Spec.Ports)
		for _, kind := range []string{"ServiceMonitor", "PrometheusRule"} {
			ours := spec(t, overlay, kind)
			delete(ours, "selector")
			theirs := spec(t, chart, kind)
			delete(theirs, "selector")
			assert.Equal(t, ours, theirs, kind)
		}
	})
	t.Run("network policy", func(t *testing.T) {
		ours, theirs := the[networkingv1.NetworkPolicy](t, overlay, "NetworkPolicy", "projection"), the[networkingv1.NetworkPolicy](t, chart, "NetworkPolicy", "projection")
		ports := func(policy *networkingv1.NetworkPolicy) (names []string) {
			for _, rule := range policy.Spec.Ingress {
				for _, port := range rule.Ports {
					names = append(names, port.Port.String())
				}
			}
			return slices.Sorted(slices.Values(names))
		}
		assert.Equal(t, ports(ours), ports(theirs))
		assert.Equal(t, ours.Spec.Egress, theirs.Spec.Egress)
	})
}

func TestChartAndKustomizeHaveTheSamePolicies(t *testing.T) {
	const all = `
policies:
  accounts: {enabled: true}
  adoption: {enabled: true}
  authors: {enabled: true}
  clusters: {enabled: true}
  consent: {enabled: true}
  copies: {enabled: true}
  ownership: {enabled: true}
  selectors: {enabled: true}
  sources: {enabled: true, namespaces: [platform]}
`
	chart := mustTemplate(t, all)
	policies := objects(t, kustomize(t, filepath.Join(env.Root(), "deploy", "policies")))
	require.Len(t, policies, 24)
	for _, ours := range policies {
		theirs := *the[map[string]any](t, chart, ours.GetKind(), ours.GetName())
		for _, part := range []string{"spec", "data"} {
			assert.Equal(t, ours.Object[part], theirs[part], "%s %s", ours.GetKind(), ours.GetName())
		}
	}
}

func TestEverySelectorFindsTheOperator(t *testing.T) {
	for name, manifest := range map[string]string{"kustomize": overlay(t), "chart": mustTemplate(t, monitored+"podDisruptionBudget: {enabled: true}")} {
		var labels map[string]string
		for _, object := range objects(t, manifest) {
			if object.GetKind() == "Deployment" {
				labels, _, _ = unstructured.NestedStringMap(object.Object, "spec", "template", "metadata", "labels")
			}
		}
		found := 0
		for _, object := range objects(t, manifest) {
			for _, path := range [][]string{{"spec", "selector", "matchLabels"}, {"spec", "selector"}, {"spec", "podSelector", "matchLabels"}} {
				selector, _, err := unstructured.NestedStringMap(object.Object, path...)
				if err != nil || len(selector) == 0 {
					continue
				}
				found++
				selected := labels
				if object.GetKind() == "ServiceMonitor" {
					selected = the[corev1.Service](t, manifest, "Service", "projection-metrics").Labels
				}
				assert.Subsetf(t, selected, selector, "%s: %s %s", name, object.GetKind(), object.GetName())
			}
		}
		assert.GreaterOrEqual(t, found, 4, name)
	}
}

// impersonated returns the names of the service accounts that the ClusterRole allows its users to impersonate.
func impersonated(t *testing.T, manifest, role string) (names []string) {
	t.Helper()
	for _, rule := range the[rbacv1.ClusterRole](t, manifest, "ClusterRole", role).Rules {
		if slices.Contains(rule.Verbs, "impersonate") {
			require.Equal(t, []string{"serviceaccounts"}, rule.Resources)
			require.NotEmpty(t, rule.ResourceNames, "any service account")
			names = append(names, rule.ResourceNames...)
		}
	}
	return names
}

func TestNoRoleHoldsWhatWouldRaiseIt(t *testing.T) {
	for name, manifest := range map[string]string{"kustomize": overlay(t), "chart": mustTemplate(t, "uninstall: {deleteRules: true}")} {
		roles, wanted := 0, map[string]int{"kustomize": 7, "chart": 9}[name] // the chart has two hooks
		for _, object := range objects(t, manifest) {
			if kind := object.GetKind(); kind != "ClusterRole" && kind != "Role" {
				continue
			}
			roles++
			for _, r := range rightsOf(the[rbacv1.ClusterRole](t, manifest, object.GetKind(), object.GetName()).Rules) {
				assert.NotContainsf(t, []string{"*", "bind", "escalate", "approve", "sign"}, r.verb, "%s: %s may %s", name, object.GetName(), r)
				if r.verb == "impersonate" {
					assert.Equal(t, []string{"projection-writer"}, impersonated(t, manifest, object.GetName()), "%s: %s may %s", name, object.GetName(), r)
				}
			}
		}
		assert.Equal(t, wanted, roles, name)
	}
}

func aggregation(role *rbacv1.ClusterRole) map[string]string {
	labels := map[string]string{}
	for key, value := range role.Labels {
		if strings.HasPrefix(key, rbacv1.GroupName+"/") {
			labels[key] = value
		}
	}
	return labels
}

func pod(t *testing.T, manifest, deployment string) corev1.PodSpec {
	t.Helper()
	return the[appsv1.Deployment](t, manifest, "Deployment", deployment).Spec.Template.Spec
}

func spec(t *testing.T, manifest, kind string) map[string]any {
	t.Helper()
	found, _, err := unstructured.NestedMap(*the[map[string]any](t, manifest, kind, "projection"), "spec")
	require.NoError(t, err)
	return found
}

// overlay builds what a user would write to have everything.
func overlay(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	at := func(path ...string) string {
		relative, err := filepath.Rel(dir, filepath.Join(append([]string{env.Root(), "config"}, path...)...))
		require.NoError(t, err)
		return relative
	}
	content, err := yaml.Marshal(map[string]any{
		"resources": []string{at("default")}, "components": []string{at("prometheus"), at("network-policy")},
	})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), content, 0o600))
	return kustomize(t, dir)
}

func kustomize(t *testing.T, dir string) string {
	t.Helper()
	require.NoError(t, env.Read(filepath.Join(env.Root(), "config")))
	require.NoError(t, env.Read(filepath.Join(env.Root(), "deploy", "policies")))
	out, err := cluster.Kubectl(t.Context(), "kustomize", dir)
	require.NoErrorf(t, err, "build %s", dir)
	return out
}
