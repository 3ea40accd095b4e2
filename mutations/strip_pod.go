package mutations

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/unstructured"
)

// tokenVolumePrefix begins the name of the volume that ServiceAccount admission adds to a Pod.
const tokenVolumePrefix = "kube-api-access-"

var pod = schema.GroupKind{Kind: "Pod"}

// stripPod makes a Pod one by itself, to be admitted and scheduled anew. Priority, preemption and overhead are computed
// from classes; admission refuses values that differ from them. The labels by which controllers find their Pods go, as a
// controller in the target namespace would adopt the copy and count it. Tolerations, pull secrets and resources that
// admission may have added cannot be told from intent and stay.
func stripPod(in Input) unstructured.Mutation {
	return strip(StripPod, in, allocated{
		kind: pod,
		labels: []string{
			"pod-template-hash",
			"pod-template-generation",
			"controller-revision-hash",
			"statefulset.kubernetes.io/pod-name",
			"apps.kubernetes.io/pod-index",
			"batch.kubernetes.io/job-completion-index",
		},
		annotations: []string{
			"kubernetes.io/limit-ranger",
			// A Pod that says it mirrors a file on a node is deleted where there is no such file.
			"kubernetes.io/config.mirror",
			"kubernetes.io/config.hash",
			"kubernetes.io/config.seen",
			"kubernetes.io/config.source",
			"batch.kubernetes.io/job-completion-index",
			"batch.kubernetes.io/job-index-failure-count",
			"batch.kubernetes.io/job-index-ignored-failure-count",
			// Networks write the addresses of each Pod here.
			"k8s.v1.cni.cncf.io/network-status",
			"k8s.v1.cni.cncf.io/networks-status",
			"cni.projectcalico.org/containerID",
			"cni.projectcalico.org/podIP",
			"cni.projectcalico.org/podIPs",
			"k8s.ovn.org/pod-networks",
		},
		fields: [][]string{
			{specField, "nodeName"},
			{specField, "ephemeralContainers"},
			{specField, "priority"},
			{specField, "preemptionPolicy"},
			{specField, "overhead"},
		},
		further: func(content map[string]any) {
			removeJobLabels(child(content, metadataField))
			removeTokenVolume(child(content, specField))
		},
	})
}

func removeTokenVolume(spec map[string]any) {
	removeItems(spec, "volumes", func(volume map[string]any) bool {
		return strings.HasPrefix(text(volume, "name"), tokenVolumePrefix)
	})
	for _, kind := range []string{"initContainers", "containers"} {
		for _, container := range items(spec, kind) {
			removeItems(container, "volumeMounts", func(mount map[string]any) bool {
				return strings.HasPrefix(text(mount, "name"), tokenVolumePrefix)
			})
		}
	}
}

// stripPodTopology drops the labels that the API server copies from the node when a Pod is bound to it, which it does
// by default since Kubernetes 1.35. Before, they are their author's.
func stripPodTopology(in Input) unstructured.Mutation {
	return mutation(StripPodTopology, since("1.35", in, pod), func(content map[string]any) error {
		removeKeys(child(content, metadataField), labelsField, []string{
			"topology.kubernetes.io/region",
			"topology.kubernetes.io/zone",
		})
		return nil
	})
}
