package v1alpha1

// Condition types of a PublishedResource, besides Accepted and Ready. Every reconcile sets all of them but Stalled.
const (
	// ConditionDefinitionInstalled reports whether the kind is served in every cluster of a consumer as it should be.
	ConditionDefinitionInstalled = "DefinitionInstalled"
	// ConditionSynced reports whether every object of a consumer has its copy, and its status.
	ConditionSynced = "Synced"
	// ConditionStalled is present, and True, only while the PublishedResource cannot become ready without action by a user. It has the reason and
	// message of Ready.
	ConditionStalled = "Stalled"
)

// Reasons of conditions of a PublishedResource, besides Accepted and Unreachable.
const (
	// ReasonPublicationInvalid: an expression or a path of the spec cannot be used.
	ReasonPublicationInvalid = "PublicationInvalid"
	// ReasonServiceNotFound: there is no RemoteCluster of the name, or the kind is not defined in it.
	ReasonServiceNotFound = "ServiceNotFound"
	// ReasonNotPermitted: a RemoteCluster does not permit what the PublishedResource needs.
	ReasonNotPermitted = "NotPermitted"
	// ReasonNotProjectable: the definition of the service cannot be offered as the PublishedResource says.
	ReasonNotProjectable = "NotProjectable"

	// ReasonDefinitionInstalled: the kind is served in every cluster of a consumer as it should be.
	ReasonDefinitionInstalled = "DefinitionInstalled"
	// ReasonDefinitionConflict: the name of the definition is taken by one that is not that of the PublishedResource.
	ReasonDefinitionConflict = "DefinitionConflict"
	// ReasonDefinitionOutdated: the installed definition would change in a way that upgrade does not permit.
	ReasonDefinitionOutdated = "DefinitionOutdated"
	// ReasonDefinitionMissing: the kind is not served, and install does not permit to install it.
	ReasonDefinitionMissing = "DefinitionMissing"
	// ReasonDefinitionFailed: the API server refused the definition, or could not be asked.
	ReasonDefinitionFailed = "DefinitionFailed"

	// ReasonSynced: every object of a consumer has its copy, and its status.
	ReasonSynced = "Synced"
	// ReasonStatusNotServed: every object has its copy; the kind has no subresource status, so none comes back.
	ReasonStatusNotServed = "StatusNotServed"
	// ReasonSyncing: objects are being copied.
	ReasonSyncing = "Syncing"
	// ReasonNameConflict: another object is in the place of the copy of an object, or is to have the same copy.
	ReasonNameConflict = "NameConflict"
	// ReasonStatusConflict: another client sets fields of the status of an object.
	ReasonStatusConflict = "StatusConflict"
	// ReasonRelatedMissing: an object waits for a related object that is required.
	ReasonRelatedMissing = "RelatedMissing"
	// ReasonRelatedFailed: a related object could not be copied.
	ReasonRelatedFailed = "RelatedFailed"
	// ReasonObjectInvalid: no copy can be made of an object as the PublishedResource says.
	ReasonObjectInvalid = "ObjectInvalid"
	// ReasonWriteFailed: the API server refused a copy, its deletion, or the status of an object.
	ReasonWriteFailed = "WriteFailed"
	// ReasonSuspended: the PublishedResource is suspended.
	ReasonSuspended = "Suspended"
)
