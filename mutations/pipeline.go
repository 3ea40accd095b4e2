package mutations

import "projection.sh/operator/primitives/unstructured"

// ForDestination returns the mutations that make a copy of a source, in the order in which they have to be applied.
// Names, number and order never depend on the input; gates do.
func ForDestination(in Input) []unstructured.Mutation {
	return []unstructured.Mutation{
		keepIntentMetadata(),
		dropSourceBookkeeping(),
		dropToolMarks(),
		dropStatus(),
		dropNulls(),
		stripService(in),
		stripPersistentVolumeClaim(in),
		stripPod(in),
		stripPodTopology(in),
		stripPodGroup(in),
		stripJob(in),
		stripDeployment(in),
		stripReplicaSet(in),
		stripDaemonSet(in),
		stripStatefulSet(in),
		stripHorizontalPodAutoscaler(in),
		stripServiceAccount(in),
		stripEndpoints(in),
		stripEndpointSlice(in),
		stripResourceClaim(in),
		stripCSIStorageCapacity(in),
		applyOverlay(in.Overlay),
		stampOwnership(in.Stamp),
		stampContentHash(),
	}
}
