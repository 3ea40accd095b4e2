package v1alpha1

// Condition types of a RemoteCluster. Every reconcile sets all of them.
const (
	// ConditionAccepted reports whether the declaration can be used.
	ConditionAccepted = "Accepted"
	// ConditionConnected reports whether the cluster can be reached, and is the one that it was before.
	ConditionConnected = "Connected"
	// ConditionPermitted reports whether the credentials have the permissions that the rules need.
	ConditionPermitted = "Permitted"
	// ConditionFenced reports whether a lease there keeps a second process with the same hub id from writing.
	ConditionFenced = "Fenced"
	// ConditionReady is True if the others are, and the cluster is not paused; otherwise it repeats the reason and message of the first one that
	// is not. Fenced does not count if the lease is not permitted, nor Permitted if that cannot be asked.
	ConditionReady = "Ready"
)

// Reasons of conditions of a RemoteCluster.
const (
	// ReasonAccepted: the declaration can be used.
	ReasonAccepted = "Accepted"
	// ReasonSecretNotFound: the Secret does not exist, or lacks the key.
	ReasonSecretNotFound = "SecretNotFound"
	// ReasonKubeconfigInvalid: what the Secret contains is no kubeconfig, or an incomplete one.
	ReasonKubeconfigInvalid = "KubeconfigInvalid"
	// ReasonKubeconfigRefused: the kubeconfig runs a program, names a file, or has something else that is not allowed.
	ReasonKubeconfigRefused = "KubeconfigRefused"
	// ReasonDuplicateIdentity: another RemoteCluster, which was that before or is older, is the same cluster.
	ReasonDuplicateIdentity = "DuplicateIdentity"

	// ReasonConnected: the cluster was reached, and has the identity that it has to have.
	ReasonConnected = "Connected"
	// ReasonConnecting: the cluster was not reached yet.
	ReasonConnecting = "Connecting"
	// ReasonUnreachable: the cluster does not answer.
	ReasonUnreachable = "Unreachable"
	// ReasonUnauthorized: the cluster does not accept the credentials.
	ReasonUnauthorized = "Unauthorized"
	// ReasonIdentityChanged: another cluster answers.
	ReasonIdentityChanged = "IdentityChanged"
	// ReasonIdentityUnknown: nothing shows which cluster it is.
	ReasonIdentityUnknown = "IdentityUnknown"
	// ReasonUnsuitable: the API server does not check what writes rely on, or is too old.
	ReasonUnsuitable = "Unsuitable"
	// ReasonSlow: the cluster answers slowly. Connected is True.
	ReasonSlow = "Slow"

	// ReasonPermitted: the credentials have the permissions that the rules need.
	ReasonPermitted = "Permitted"
	// ReasonPermissionsMissing: they lack some.
	ReasonPermissionsMissing = "PermissionsMissing"
	// ReasonPermissionsUnknown: they do not permit to ask what they permit.
	ReasonPermissionsUnknown = "PermissionsUnknown"

	// ReasonLeaseHeld: this operator holds the lease.
	ReasonLeaseHeld = "LeaseHeld"
	// ReasonHeldByAnother: another process with the same hub id holds it. Nothing is written.
	ReasonHeldByAnother = "HeldByAnother"
	// ReasonLeaseNotPermitted: the credentials do not permit a lease.
	ReasonLeaseNotPermitted = "LeaseNotPermitted"
	// ReasonHomeMissing: the namespace of the lease does not exist.
	ReasonHomeMissing = "HomeMissing"

	// ReasonPaused: the RemoteCluster is paused.
	ReasonPaused = "Paused"
	// ReasonDeleting: the RemoteCluster or the PublishedResource is being deleted, and there may be copies.
	ReasonDeleting = "Deleting"
)

// Reasons of events only.
const (
	// ReasonDebtPaid: the copies were deleted that a rule had left there, which no longer waited for the cluster.
	ReasonDebtPaid = "DebtPaid"
)
