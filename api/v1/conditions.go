package v1

// Condition types. The first three are set in every pass.
const (
	// ConditionSourceResolved tells whether the source was found and may be projected.
	ConditionSourceResolved = "SourceResolved"
	// ConditionDestinationWritten tells whether every copy is in step with the source.
	ConditionDestinationWritten = "DestinationWritten"
	// ConditionReady is True when the other two are; else it repeats the reason and message of the one that is not.
	ConditionReady = "Ready"
	// ConditionStalled is there, and True, while the rule is not ready and somebody has to act before it can be: it has the
	// reason and message of Ready. It is absent otherwise. This is the convention of kstatus, by which Flux and others tell
	// a failure from something that takes its time.
	ConditionStalled = "Stalled"
)

// Reasons of conditions, shared by both kinds. Some are reasons of events, too.
const (
	// ReasonResolved: the kind is served, the source exists and consents.
	ReasonResolved = "Resolved"
	// ReasonProjected: every copy is in step.
	ReasonProjected = "Projected"

	// ReasonRuleInvalid: the rule uses fields that this version of the operator does not know; copies stay as they are.
	ReasonRuleInvalid = "RuleInvalid"

	// ReasonSourceResolutionFailed: the kind is unknown, cluster-scoped, cannot be copied, or discovery failed.
	ReasonSourceResolutionFailed = "SourceResolutionFailed"
	// ReasonSourceFetchFailed: the source could not be read, so nothing is known of it; copies stay.
	ReasonSourceFetchFailed = "SourceFetchFailed"
	// ReasonSourceNotFound: there is no source, and never was a copy.
	ReasonSourceNotFound = "SourceNotFound"
	// ReasonSourceDeleted: the source is gone, and so are its copies.
	ReasonSourceDeleted = "SourceDeleted"
	// ReasonSourceOptedOut: the owner of the source vetoes its projection.
	ReasonSourceOptedOut = "SourceOptedOut"
	// ReasonSourceNotProjectable: the source lacks consent, or is of a type that is never projected.
	ReasonSourceNotProjectable = "SourceNotProjectable"

	// ReasonSourceNotResolved: the source's side failed, so writing was not tried.
	ReasonSourceNotResolved = "SourceNotResolved"
	// ReasonDestinationCreateFailed: the API server refused to create a copy.
	ReasonDestinationCreateFailed = "DestinationCreateFailed"
	// ReasonDestinationUpdateFailed: the API server refused to change a copy.
	ReasonDestinationUpdateFailed = "DestinationUpdateFailed"
	// ReasonDestinationFetchFailed: the state of the copies could not be read.
	ReasonDestinationFetchFailed = "DestinationFetchFailed"
	// ReasonDestinationConflict: a foreign object is in the place of a copy, or another writer keeps changing or deleting a copy.
	ReasonDestinationConflict = "DestinationConflict"
	// ReasonNamespaceResolutionFailed: the target namespaces could not be listed or selected.
	ReasonNamespaceResolutionFailed = "NamespaceResolutionFailed"
	// ReasonDestinationWriteFailed: copies failed for several reasons, or one could not be removed.
	ReasonDestinationWriteFailed = "DestinationWriteFailed"
	// ReasonDestinationWriteInProgress: copies are being written or deleted, and requests to their namespaces take long.
	ReasonDestinationWriteInProgress = "DestinationWriteInProgress"
	// ReasonInternalError: the operator panicked while it reconciled the rule; copies stay as they are.
	ReasonInternalError = "InternalError"
)

// Reasons of events only.
const (
	// ReasonUpdated: copies were changed to follow the source.
	ReasonUpdated = "Updated"
	// ReasonDriftCorrected: what somebody else had done to copies was undone.
	ReasonDriftCorrected = "DriftCorrected"
	// ReasonDestinationLeftAlone: a copy whose ownership annotation was removed stays, or a foreign object that names the rule
	// as its owner.
	ReasonDestinationLeftAlone = "DestinationLeftAlone"
	// ReasonStaleDestinationDeleted: copies that are no longer wanted were deleted.
	ReasonStaleDestinationDeleted = "StaleDestinationDeleted"
)
