package mutations_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/mutations"
)

// strips returns the names of the strip-… mutations that apply.
func strips(t *testing.T, in mutations.Input) []string {
	t.Helper()
	found := []string{}
	for _, mutation := range mutations.ForDestination(in) {
		if !strings.HasPrefix(mutation.Name, "strip-") {
			continue
		}
		enabled, err := mutation.Feature.Enabled()
		require.NoError(t, err)
		if enabled {
			found = append(found, mutation.Name)
		}
	}
	return found
}

func TestStripsApplyToTheirKindOnly(t *testing.T) {
	for _, row := range []struct {
		group, kind string
		wanted      []string
	}{
		{"", "Service", []string{mutations.StripService}},
		{"", "PersistentVolumeClaim", []string{mutations.StripPersistentVolumeClaim}},
		{"", "Pod", []string{mutations.StripPod, mutations.StripPodTopology}},
		{"scheduling.k8s.io", "PodGroup", []string{mutations.StripPodGroup}},
		{"batch", "Job", []string{mutations.StripJob}},
		{"apps", "Deployment", []string{mutations.StripDeployment}},
		{"apps", "ReplicaSet", []string{mutations.StripReplicaSet}},
		{"apps", "DaemonSet", []string{mutations.StripDaemonSet}},
		{"apps", "StatefulSet", []string{mutations.StripStatefulSet}},
		{"autoscaling", "HorizontalPodAutoscaler", []string{mutations.StripHorizontalPodAutoscaler}},
		{"", "ServiceAccount", []string{mutations.StripServiceAccount}},
		{"", "Endpoints", []string{mutations.StripEndpoints}},
		{"discovery.k8s.io", "EndpointSlice", []string{mutations.StripEndpointSlice}},
		{"resource.k8s.io", "ResourceClaim", []string{mutations.StripResourceClaim}},
		{"storage.k8s.io", "CSIStorageCapacity", []string{mutations.StripCSIStorageCapacity}},
		{"", "ConfigMap", []string{}},
		{"serving.knative.dev", "Service", []string{}},
		{"batch.volcano.sh", "Job", []string{}},
	} {
		t.Run(row.group+"/"+row.kind, func(t *testing.T) {
			assert.Equal(t, row.wanted, strips(t, kind(row.group, row.kind)))
		})
	}
}

func TestPodTopologyIsStrippedSinceKubernetes135(t *testing.T) {
	for version, stripped := range map[string]bool{
		"":                       true,
		"v1.36.3":                true,
		"v1.35.0":                true,
		"v1.35.1-gke.1200":       true,
		"v1.34.9+k3s1":           false,
		"v1.32.2-eks-0123456789": false,
	} {
		t.Run(version, func(t *testing.T) {
			in := kind("", "Pod")
			in.ServerVersion = version
			assert.Equal(t, stripped, assert.ObjectsAreEqual(
				[]string{mutations.StripPod, mutations.StripPodTopology}, strips(t, in)))
		})
	}
}

func TestVersionThatIsNoneFailsOnlyWhereItMatters(t *testing.T) {
	in := kind("", "Pod")
	in.ServerVersion = "unknown"
	_, err := tryApply(t, mutations.StripPodTopology, in, map[string]any{})
	require.Error(t, err)

	in = kind("", "ConfigMap")
	in.ServerVersion = "unknown"
	_, err = tryApply(t, mutations.StripPodTopology, in, map[string]any{})
	require.NoError(t, err)
}
