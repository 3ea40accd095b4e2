package roundtrip_test

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/version"
)

var addresses = []string{"spec clusterIP", "spec clusterIPs", "spec ipFamilies", "spec ipFamilyPolicy"}

// allocated lists, for <file>/<name>, what the source is given or bears that must not travel: fields of the source, as
// the steps of their paths. Everything else must be the same in the copy.
var allocated = map[string][]string{
	"service/cluster-ip": addresses,
	"service/node-port":  append([]string{"spec ports 0 nodePort", "spec ports 1 nodePort"}, addresses...),
	"service/load-balancer": append([]string{"spec ports 0 nodePort", "spec healthCheckNodePort"},
		addresses...),
	"service/headless": {"spec clusterIPs", "spec ipFamilies", "spec ipFamilyPolicy"},

	"serviceaccount/shop": {"secrets", "imagePullSecrets 1"},

	"persistentvolumeclaim/bound": {
		"spec volumeName",
		"metadata annotations pv.kubernetes.io/bind-completed",
		"metadata annotations pv.kubernetes.io/bound-by-controller",
		"metadata annotations volume.kubernetes.io/selected-node",
	},

	"pod/plain": {
		"spec priority",
		"spec preemptionPolicy",
		"spec volumes 0",
		"spec containers 0 volumeMounts 0",
	},
	"pod/full": {
		"spec nodeName",
		"spec priority",
		"spec preemptionPolicy",
		"spec overhead",
		"spec volumes 2",
		"spec initContainers 0 volumeMounts 1",
		"spec initContainers 1 volumeMounts 0",
		"spec containers 0 volumeMounts 2",
		"metadata labels pod-template-hash",
	},

	"endpoints/database": {
		"metadata labels endpoints.kubernetes.io/managed-by",
		"metadata annotations endpoints.kubernetes.io/last-change-trigger-time",
	},
	"endpointslice.discovery.k8s.io/database-abcde": {
		"metadata labels endpointslice.kubernetes.io/managed-by",
		"metadata annotations endpoints.kubernetes.io/last-change-trigger-time",
	},

	"deployment.apps/shop": {"metadata annotations deployment.kubernetes.io/revision"},
	"replicaset.apps/shop-6c9f8d7b5": {
		"metadata labels pod-template-hash",
		"spec selector matchLabels pod-template-hash",
		"spec template metadata labels pod-template-hash",
		"metadata annotations deployment.kubernetes.io/revision",
		"metadata annotations deployment.kubernetes.io/desired-replicas",
		"metadata annotations deployment.kubernetes.io/max-replicas",
	},
	"daemonset.apps/agent":      {"metadata annotations deprecated.daemonset.template.generation"},
	"statefulset.apps/database": {"spec volumeClaimTemplates 0 status"},

	"job.batch/automatic": {
		"metadata labels controller-uid",
		"metadata labels job-name",
		"metadata labels batch.kubernetes.io/controller-uid",
		"metadata labels batch.kubernetes.io/job-name",
		"spec selector",
		"spec template metadata labels controller-uid",
		"spec template metadata labels job-name",
		"spec template metadata labels batch.kubernetes.io/controller-uid",
		"spec template metadata labels batch.kubernetes.io/job-name",
	},
	"job.batch/unlabelled": {
		"metadata labels controller-uid",
		"metadata labels job-name",
		"metadata labels batch.kubernetes.io/controller-uid",
		"metadata labels batch.kubernetes.io/job-name",
		"spec selector",
		"spec template metadata labels",
	},

	"podgroup.scheduling.k8s.io/workers": {"spec priority"},

	"resourceclaim.resource.k8s.io/gpu": {"metadata annotations resource.kubernetes.io/pod-claim-name"},
	"csistoragecapacity.storage.k8s.io/capacity": {
		"metadata labels csi.storage.k8s.io/managed-by",
	},
}

// allocatedSince is allocated for newer API servers, by <major>.<minor>.
var allocatedSince = map[string]map[string][]string{
	"1.35": {
		"pod/full": {"metadata labels topology.kubernetes.io/zone", "metadata labels topology.kubernetes.io/region"},
	},
}

func allocatedOf(key, server string) []string {
	paths := allocated[key]
	for since, added := range allocatedSince {
		if version.MustParseGeneric(server).AtLeast(version.MustParseGeneric(since)) {
			paths = append(slices.Clip(paths), added[key]...)
		}
	}
	return paths
}
