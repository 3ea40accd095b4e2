package mutations_test

import (
	"testing"

	"projection.sh/operator/mutations"
)

func TestStripServiceAccount(t *testing.T) {
	run(t, mutations.StripServiceAccount, kind("", "ServiceAccount"), []row{
		{
			name: "tokens and generated pull secrets",
			before: `
metadata: {annotations: {openshift.io/internal-registry-pull-secret-ref: x, note: kept}}
automountServiceAccountToken: false
secrets: [{name: shop-token-abcde}]
imagePullSecrets: [{name: registry}, {name: shop-dockercfg-x7k2p}]`,
			after: `
metadata: {annotations: {note: kept}}
automountServiceAccountToken: false
imagePullSecrets: [{name: registry}]`,
		},
		{name: "only generated ones", before: `imagePullSecrets: [{name: shop-dockercfg-x7k2p}]`, after: `{}`},
		{name: "pull secrets of the author", before: `imagePullSecrets: [{name: my-dockercfg}, {name: dockercfg-prod-eu}]`},
	})
}

func TestStripHorizontalPodAutoscaler(t *testing.T) {
	run(t, mutations.StripHorizontalPodAutoscaler, kind("autoscaling", "HorizontalPodAutoscaler"), []row{{
		name: "status in annotations, not intent in annotations",
		before: `
metadata:
  annotations:
    autoscaling.alpha.kubernetes.io/conditions: '[]'
    autoscaling.alpha.kubernetes.io/current-metrics: '[]'
    autoscaling.alpha.kubernetes.io/metrics: '[1]'
    autoscaling.alpha.kubernetes.io/behavior: '{}'`,
		after: `
metadata:
  annotations:
    autoscaling.alpha.kubernetes.io/metrics: '[1]'
    autoscaling.alpha.kubernetes.io/behavior: '{}'`,
	}})
}

func TestStripEndpoints(t *testing.T) {
	run(t, mutations.StripEndpoints, kind("", "Endpoints"), []row{{
		name: "the marks of the controller",
		before: `
metadata:
  labels: {endpoints.kubernetes.io/managed-by: endpoint-controller, endpointslice.kubernetes.io/skip-mirror: "true"}
  annotations: {endpoints.kubernetes.io/last-change-trigger-time: x, endpoints.kubernetes.io/over-capacity: truncated}
subsets: [{addresses: [{ip: 192.0.2.1}]}]`,
		after: `
metadata: {labels: {endpointslice.kubernetes.io/skip-mirror: "true"}}
subsets: [{addresses: [{ip: 192.0.2.1}]}]`,
	}})
}

func TestStripEndpointSlice(t *testing.T) {
	run(t, mutations.StripEndpointSlice, kind("discovery.k8s.io", "EndpointSlice"), []row{{
		name: "the managing controller",
		before: `
metadata:
  labels: {kubernetes.io/service-name: db, endpointslice.kubernetes.io/managed-by: endpointslice-controller.k8s.io}
  annotations: {endpoints.kubernetes.io/last-change-trigger-time: x}`,
		after: `metadata: {labels: {kubernetes.io/service-name: db}}`,
	}})
}

func TestStripResourceClaim(t *testing.T) {
	run(t, mutations.StripResourceClaim, kind("resource.k8s.io", "ResourceClaim"), []row{{
		name: "the Pod that it was made for",
		before: `
metadata: {annotations: {resource.kubernetes.io/pod-claim-name: gpu, resource.kubernetes.io/extended-resource-claim: "true", note: kept}}
spec: {devices: {}}`,
		after: `
metadata: {annotations: {note: kept}}
spec: {devices: {}}`,
	}})
}

func TestStripCSIStorageCapacity(t *testing.T) {
	run(t, mutations.StripCSIStorageCapacity, kind("storage.k8s.io", "CSIStorageCapacity"), []row{{
		name:   "the managing provisioner",
		before: `metadata: {labels: {csi.storage.k8s.io/managed-by: external-provisioner-1, csi.storage.k8s.io/drivername: example.com}}`,
		after:  `metadata: {labels: {csi.storage.k8s.io/drivername: example.com}}`,
	}})
}
