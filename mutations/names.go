package mutations

// Names of the mutations, in the order in which they apply.
const (
	KeepIntentMetadata           = "keep-intent-metadata"
	DropSourceBookkeeping        = "drop-source-bookkeeping"
	DropToolMarks                = "drop-tool-marks"
	DropStatus                   = "drop-status"
	DropNulls                    = "drop-nulls"
	StripService                 = "strip-service"
	StripPersistentVolumeClaim   = "strip-persistentvolumeclaim"
	StripPod                     = "strip-pod"
	StripPodTopology             = "strip-pod-topology"
	StripPodGroup                = "strip-podgroup"
	StripJob                     = "strip-job"
	StripDeployment              = "strip-deployment"
	StripReplicaSet              = "strip-replicaset"
	StripDaemonSet               = "strip-daemonset"
	StripStatefulSet             = "strip-statefulset"
	StripHorizontalPodAutoscaler = "strip-horizontalpodautoscaler"
	StripServiceAccount          = "strip-serviceaccount"
	StripEndpoints               = "strip-endpoints"
	StripEndpointSlice           = "strip-endpointslice"
	StripResourceClaim           = "strip-resourceclaim"
	StripCSIStorageCapacity      = "strip-csistoragecapacity"
	FilterMetadata               = "filter-metadata"
	FilterFields                 = "filter-fields"
	FilterData                   = "filter-data"
	ConvertKind                  = "convert-kind"
	MergeLayers                  = "merge-layers"
	ApplyOverlay                 = "overlay"
	SetFields                    = "set-fields"
	RefuseCredentials            = "refuse-credentials" //nolint:gosec // a name
	StampOwnership               = "stamp-ownership"
	StampOptOut                  = "stamp-opt-out"
	StampContentHash             = "stamp-content-hash"
	StampSource                  = "stamp-source"
	StampPlace                   = "stamp-place"
)

// Names returns the names of all mutations of ForDestination, in their order.
func Names() []string {
	pipeline := ForDestination(Input{})
	names := make([]string, len(pipeline))
	for i := range pipeline {
		names[i] = pipeline[i].Name
	}
	return names
}
