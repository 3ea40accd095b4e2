package docs_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
)

var update = flag.Bool("update", false, "write the files of testdata/samples instead of comparing with them")

// sample is a file of config/samples, and what is done before and after it is applied.
type sample struct {
	before, after string
	// copies is the resource whose copies are compared.
	copies string
}

// samples are the examples of rules that use several fields together, by the name of their file.
var samples = map[string]sample{
	"6-ca-from-secret": {
		before: `kubectl create namespace platform && kubectl create namespace shop`,
		after:  `kubectl wait --for=condition=Ready clusterprojection/root-ca --timeout=60s`,
		copies: "configmaps",
	},
	"7-pull-secret-on-request": {
		before: `
for namespace in platform asks asked-before asks-not; do kubectl create namespace $namespace; done
kubectl label namespace asks asked-before registry.example.com/pull=true
kubectl -n asked-before create secret docker-registry registry-pull --from-file=.dockerconfigjson=<(
  printf '{"auths": {"registry.example.com": {"auth": "cHVsbDpvbmx5"}}}')
kubectl -n asked-before annotate secret registry-pull reflector.v1.k8s.emberstack.com/reflects=platform/registry-pull`,
		after:  `kubectl wait --for=condition=Ready clusterprojection/registry-pull --timeout=60s`,
		copies: "secrets",
	},
	"8-wildcard-tls": {
		before: `
for namespace in canary shop internal; do kubectl create namespace $namespace; done
kubectl label namespace canary shop ingress.example.com/tls=wildcard
kubectl label namespace canary canary=true`,
		after: `
kubectl -n canary wait --for=create secret/wildcard-tls --timeout=60s
kubectl wait --for=jsonpath='{.status.rollout.wave}'=1 clusterprojection/wildcard-tls --timeout=60s
kubectl wait --for=jsonpath='{.status.namespacesHeld}'=1 clusterprojection/wildcard-tls --timeout=60s`,
		copies: "secrets",
	},
	"9-network-policy-per-team": {
		before: `
for namespace in checkout search without-team declines; do kubectl create namespace $namespace; done
kubectl label namespace checkout declines team=checkout
kubectl label namespace search team=search
kubectl label namespace declines example.com/no-default-policy=`,
		after:  `kubectl wait --for=condition=Ready clusterprojection/default-network-policy --timeout=60s`,
		copies: "networkpolicies",
	},
	"10-role-binding-per-team": {
		before: `
for namespace in checkout search without-team; do kubectl create namespace $namespace; done
kubectl label namespace checkout team=checkout
kubectl label namespace search team=search`,
		after:  `kubectl wait --for=condition=Ready clusterprojection/team-admin --timeout=60s`,
		copies: "rolebindings",
	},
	"11-promotion": {
		after: `
kubectl -n production wait --for=jsonpath='{.status.conditions[?(@.type=="Ready")].reason}'=Suspended projection/shop --timeout=60s
test -z "$(kubectl -n production get deployments -o name)"
kubectl -n production patch projection shop --type=merge --patch '{"spec":{"suspend":false}}'
kubectl -n production wait --for=condition=Ready projection/shop --timeout=60s
kubectl -n production scale deployment shop --replicas=5
kubectl -n staging set image deployment/shop shop=registry.example.com/shop:1.5
kubectl -n production wait --for=jsonpath='{.spec.template.spec.containers[0].image}'=registry.example.com/shop:1.5 deployment/shop --timeout=60s`,
		copies: "deployments",
	},
	"12-layered-configuration": {
		before: `
for namespace in platform tenant-a; do kubectl create namespace $namespace; done
kubectl -n tenant-a create configmap app-overrides --from-literal=log-level=debug
kubectl -n tenant-a annotate configmap app-overrides projection.sh/projectable=true`,
		after:  `kubectl -n tenant-a wait --for=condition=Ready projection/layered --timeout=60s`,
		copies: "configmaps",
	},
	"13-ca-bundle": {
		before: `kubectl create namespace shop`,
		after:  `kubectl wait --for=condition=Ready clusterprojection/trusted-cas --timeout=60s`,
		copies: "configmaps",
	},
	"14-mirror": {
		after: `
kubectl wait --for=condition=Ready clusterprojection/checkout-mirror --timeout=60s
kubectl -n checkout create configmap private --from-literal=a=b
kubectl -n checkout create configmap silent --from-literal=a=b
kubectl -n checkout label configmap silent share=yes
kubectl -n checkout label configmap regions share-
kubectl -n analytics wait --for=delete configmap/checkout-regions --timeout=60s`,
		copies: "configmaps",
	},
}

// TestSamples applies each sample and compares all copies in the cluster with the committed ones.
func TestSamples(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		s := samples[name]
		t.Run(name, func(t *testing.T) {
			sweepAfter(t, cluster)
			script := s.before + "\nkubectl apply -f " + filepath.Join("config", "samples", name+".yaml") + "\n" + s.after + "\n"
			require.NoError(t, reader.does(script, ""))
			compareGolden(t, name, copiesOf(t, s.copies))
		})
	}
}

// TestSamplesWithSeveralFieldsAreCompared looks for a sample that no test applies.
func TestSamplesWithSeveralFieldsAreCompared(t *testing.T) {
	files, err := filepath.Glob(fromTop("config/samples/*-*.yaml"))
	require.NoError(t, err)
	tour := []string{"1-source", "2-projection", "3-foreign-object", "4-conflict", "5-shared-secret"} // test/demo applies them
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		_, compared := samples[name]
		assert.True(t, compared || slices.Contains(tour, name), "%s: compare its copies", name)
	}
}

// copiesOf returns the copies of a resource in all namespaces, without what differs from run to run.
func copiesOf(t *testing.T, resource string) []byte {
	t.Helper()
	output, err := reader.types("kubectl get "+resource+" --all-namespaces -o json\n", "")
	require.NoError(t, err, output)
	var list unstructured.UnstructuredList
	require.NoError(t, json.Unmarshal([]byte(output), &list))
	var copies []string
	for i := range list.Items {
		object := &list.Items[i]
		if annotations := object.GetAnnotations(); annotations[v1.AnnotationOwnedByProjection] == "" && annotations[v1.AnnotationOwnedByClusterProjection] == "" {
			continue
		}
		for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"} {
			unstructured.RemoveNestedField(object.Object, "metadata", field)
		}
		unstructured.RemoveNestedField(object.Object, "metadata", "annotations", "deployment.kubernetes.io/revision") // its controller counts
		unstructured.RemoveNestedField(object.Object, "spec", "template", "metadata", "creationTimestamp")            // Kubernetes 1.32 prints null
		unstructured.RemoveNestedField(object.Object, "status")
		text, err := yaml.Marshal(object.Object)
		require.NoError(t, err)
		copies = append(copies, varying.ReplaceAllString(string(text), "<varies>"))
	}
	return []byte(strings.Join(copies, "---\n"))
}

func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "samples", name+".yaml")
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o600))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "write it by go test ./test/docs -run TestSamples/%s -update", name)
	assert.Equal(t, string(want), string(got))
}
