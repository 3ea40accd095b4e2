package v1

// Condition types. Every reconcile sets the first three.
const (
	// ConditionSourceResolved reports whether the source was found and its owner consents.
	ConditionSourceResolved = "SourceResolved"
	// ConditionDestinationWritten reports whether every copy is in sync with the source.
	ConditionDestinationWritten = "DestinationWritten"
	// ConditionReady is True if the other two are; otherwise it repeats the reason and message of the one that is not.
	ConditionReady = "Ready"
	// ConditionStalled is present, and True, only while the rule cannot become ready without action by a user: it has the
	// reason and message of Ready. It is absent otherwise. This is the convention of kstatus, by which Flux and other tools
	// distinguish a failure from progress.
	ConditionStalled = "Stalled"
)

// Reasons of conditions, shared by both kinds. Some are reasons of events, too.
const (
	// ReasonResolved: the kind is served, the source exists and its owner consents.
	ReasonResolved = "Resolved"
	// ReasonProjected: every copy is in sync.
	ReasonProjected = "Projected"
	// ReasonNoMatchingNamespaces: the namespace selector matches no namespace, or none in which the owner of the source permits a copy. So
	// no copy is wanted. The conditions are True.
	ReasonNoMatchingNamespaces = "NoMatchingNamespaces"

	// ReasonRuleInvalid: the rule uses fields that this version of the operator does not know, or cannot be carried out whatever the
	// source; copies stay as they are.
	ReasonRuleInvalid = "RuleInvalid"

	// ReasonRuleNotSelected: the rule has lost a label by which its installation selects rules; copies stay as they are.
	ReasonRuleNotSelected = "RuleNotSelected"

	// ReasonSourceResolutionFailed: the kind is unknown, cluster-scoped, cannot be copied, or discovery failed.
	ReasonSourceResolutionFailed = "SourceResolutionFailed"
	// ReasonSourceFetchFailed: the source could not be read; copies stay as they are.
	ReasonSourceFetchFailed = "SourceFetchFailed"
	// ReasonSourceNotFound: the source does not exist, and there never was a copy.
	ReasonSourceNotFound = "SourceNotFound"
	// ReasonSourceDeleted: the source was deleted, and so were its copies.
	ReasonSourceDeleted = "SourceDeleted"
	// ReasonSourceOptedOut: the owner of the source has opted it out.
	ReasonSourceOptedOut = "SourceOptedOut"
	// ReasonSourceNotProjectable: the owner has not opted the source in, the source is of a type that is never copied, or rules copy in a
	// circle.
	ReasonSourceNotProjectable = "SourceNotProjectable"

	// ReasonSourceNotExportable: the owner has not opted the source in for other clusters.
	ReasonSourceNotExportable = "SourceNotExportable"
	// ReasonRemoteClustersDisabled: the source or the copies are in another cluster, and the operator runs without --remote-clusters; copies stay as
	// they are.
	ReasonRemoteClustersDisabled = "RemoteClustersDisabled"
	// ReasonSourceClusterNotFound: there is no such RemoteCluster; copies stay as they are.
	ReasonSourceClusterNotFound = "SourceClusterNotFound"
	// ReasonSourceClusterNotPermitted: the RemoteCluster does not permit this rule to copy from it; copies stay as they are.
	ReasonSourceClusterNotPermitted = "SourceClusterNotPermitted"
	// ReasonSourceClusterUnreachable: the cluster of the source cannot be reached or used; copies stay as they are.
	ReasonSourceClusterUnreachable = "SourceClusterUnreachable"
	// ReasonSourceClusterChanged: another cluster answers in place of the one of the source; copies stay as they are.
	ReasonSourceClusterChanged = "SourceClusterChanged"

	// ReasonClusterUnreachable: a cluster that the rule copies into cannot be reached or used; its copies stay as they are.
	ReasonClusterUnreachable = "ClusterUnreachable"
	// ReasonClusterNotFound: there is no RemoteCluster of a name that the rule copies into; the copies there stay as they are.
	ReasonClusterNotFound = "ClusterNotFound"
	// ReasonClusterNotPermitted: the RemoteCluster does not permit this rule to copy into it; the copies there stay as they are.
	ReasonClusterNotPermitted = "ClusterNotPermitted"
	// ReasonClusterChanged: another cluster answers in place of one that the rule copies into; nothing is written or deleted in it.
	ReasonClusterChanged = "ClusterChanged"

	// ReasonSourceIncomplete: the source lacks keys that the rule names; copies stay as they are.
	ReasonSourceIncomplete = "SourceIncomplete"

	// ReasonRenderFailed: no copy can be made of this source as the rule says; copies stay as they are.
	ReasonRenderFailed = "RenderFailed"
	// ReasonSourceNotResolved: the source could not be used, so nothing was written.
	ReasonSourceNotResolved = "SourceNotResolved"
	// ReasonDestinationCreateFailed: the API server refused to create a copy.
	ReasonDestinationCreateFailed = "DestinationCreateFailed"
	// ReasonDestinationUpdateFailed: the API server refused to change a copy.
	ReasonDestinationUpdateFailed = "DestinationUpdateFailed"
	// ReasonDestinationFetchFailed: the state of the copies could not be read.
	ReasonDestinationFetchFailed = "DestinationFetchFailed"
	// ReasonDestinationNotPermitted: the owner of the source permits no copy in a namespace that the rule names.
	ReasonDestinationNotPermitted = "DestinationNotPermitted"
	// ReasonDestinationConflict: a foreign object exists at the destination, or another client keeps changing or deleting a copy.
	ReasonDestinationConflict = "DestinationConflict"
	// ReasonDestinationNotHealthy: a copy was changed, and has not become healthy within spec.rollout.progressDeadlineSeconds.
	ReasonDestinationNotHealthy = "DestinationNotHealthy"
	// ReasonNamespaceResolutionFailed: the target namespaces could not be listed or selected.
	ReasonNamespaceResolutionFailed = "NamespaceResolutionFailed"
	// ReasonDestinationWriteFailed: copies failed for several reasons, or one could not be deleted.
	ReasonDestinationWriteFailed = "DestinationWriteFailed"
	// ReasonDestinationWriteInProgress: copies are being written or deleted, and requests to their namespaces take long.
	ReasonDestinationWriteInProgress = "DestinationWriteInProgress"
	// ReasonSuspended: the rule is suspended, and copies would be written or deleted if it were not.
	ReasonSuspended = "Suspended"
	// ReasonRolloutInProgress: copies wait for their turn in the rollout of a change, or have to become healthy.
	ReasonRolloutInProgress = "RolloutInProgress"
	// ReasonRolloutHeld: more copies than spec.rollout.maxFailures allows are refused by the API server, or have not become healthy in time. So no
	// further copy is changed. Also a reason of events.
	ReasonRolloutHeld = "RolloutHeld"
	// ReasonInternalError: the operator panicked while it reconciled the rule; copies stay as they are.
	ReasonInternalError = "InternalError"
)

// Reasons of events only.
const (
	// ReasonUpdated: copies were updated to match the source.
	ReasonUpdated = "Updated"
	// ReasonDriftCorrected: copies that somebody else had changed or deleted were repaired.
	ReasonDriftCorrected = "DriftCorrected"
	// ReasonDestinationLeftAlone: a released copy was left alone, or a foreign object that names the rule
	// as its owner.
	ReasonDestinationLeftAlone = "DestinationLeftAlone"
	// ReasonStaleDestinationDeleted: copies were deleted that are not wanted any more.
	ReasonStaleDestinationDeleted = "StaleDestinationDeleted"
	// ReasonDestinationAdopted: foreign objects became copies, as policy.onConflict says.
	ReasonDestinationAdopted = "DestinationAdopted"
	// ReasonDestinationRecreated: copies that could not be changed in place were deleted and created again, as policy.onImmutable says.
	ReasonDestinationRecreated = "DestinationRecreated"
	// ReasonDestinationRetained: copies that are not wanted any more were made ordinary objects, as policy.retain says.
	ReasonDestinationRetained = "DestinationRetained"
	// ReasonCopiesGivenUp: the rule no longer waits for a cluster in which it may have copies; they stay there.
	ReasonCopiesGivenUp = "CopiesGivenUp"
	// ReasonRolloutCompleted: no copy waits for its turn in the rollout any more, and no more copies of a wave have failed than may.
	ReasonRolloutCompleted = "RolloutCompleted"
)
