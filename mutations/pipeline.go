package mutations

import "projection.sh/operator/primitives/unstructured"

// ForDestination returns the mutations that make a copy of a source, in the order in which they have to be applied.
// Names, number and order never depend on the input; gates do.
func ForDestination(in Input) []unstructured.Mutation {
	return append([]unstructured.Mutation{
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
		filterMetadata(in.Content),
		filterFields(in.Content.Fields),
		filterData(in),
		convertKind(in),
		mergeLayers(in),
		applyOverlay(in.Overlay),
	}, ForTarget(in)...)
}

// ForTarget returns the last of these mutations, which depend on the values. Whoever renders copies that have different values renders them
// once without values, and applies these to each copy, with its values and its content hash.
func ForTarget(in Input) []unstructured.Mutation {
	return []unstructured.Mutation{
		setFields(in.Values),
		refuseCredentials(in),
		stampOwnership(in.Stamp),
		stampOptOut(in),
		stampContentHash(in),
		stampSource(in),
		stampPlace(in.Stamp),
	}
}

// ForPlace returns those of these mutations that depend on the namespace. Whoever renders the copies of many namespaces
// once leaves Stamp.PlaceKey empty for ForDestination, and applies these to each copy.
func ForPlace(stamp Stamp) []unstructured.Mutation {
	return []unstructured.Mutation{stampPlace(stamp)}
}
