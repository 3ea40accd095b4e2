package v1alpha1

import (
	"time"

	v1 "projection.sh/operator/api/v1"
)

// Direction is a way that objects take.
//
// +kubebuilder:validation:Enum=Push;Pull
type Direction string

// The directions.
const (
	// Push is into the RemoteCluster.
	Push Direction = "Push"
	// Pull is out of the RemoteCluster.
	Pull Direction = "Pull"
)

// ScopeKind is a kind, and its group after a dot unless that is the core group.
//
// +kubebuilder:validation:MaxLength=317
// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Z][A-Za-z0-9]*([.][-a-z0-9.]+)?$')",reason=FieldValueInvalid,message="write a kind in PascalCase, with its group after a dot unless that is the core group, like \"ConfigMap\" or \"Certificate.cert-manager.io\""
type ScopeKind = string

// ClusterScope narrows what is read and written in a cluster.
type ClusterScope struct {
	// namespaces are those of that cluster in which objects are read and written. The metadata of a kind are watched in all namespaces nevertheless, so
	// that Roles do not suffice there. Left out: all namespaces.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=50
	Namespaces []v1.NamespaceName `json:"namespaces,omitempty"`

	// kinds are those that may be copied from and to it, like "ConfigMap" or "Certificate.cert-manager.io". Left out: all but those of
	// rbac.authorization.k8s.io and ServiceAccount, whose names mean other subjects there.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	Kinds []ScopeKind `json:"kinds,omitempty"`

	// directions are those in which objects may be copied. "Push" is into that cluster, "Pull" out of it. Left out: both.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	Directions []Direction `json:"directions,omitempty"`

	// home is the namespace there of the lease that shows which hub writes. Defaults to projection-system. Without the namespace, or without
	// permissions in it, the condition Fenced says so, and copies are written all the same.
	// +optional
	Home v1.NamespaceName `json:"home,omitempty"`
}

// Defaults of limits and absence.
const (
	defaultConcurrency  = 8
	defaultTimeout      = 15 * time.Second
	defaultStalledAfter = 10 * time.Minute
)

// ClusterLimits bound how much is asked of a cluster at a time.
type ClusterLimits struct {
	// concurrency is how many requests for copies are under way there at a time. Defaults to 8.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Concurrency int32 `json:"concurrency,omitempty"`

	// timeoutSeconds is how long a request may take that is no watch. Defaults to 15.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=300
	TimeoutSeconds int32 `json:"timeoutSeconds,omitempty"`
}

// GetConcurrency returns the concurrency, or its default.
func (l ClusterLimits) GetConcurrency() int {
	if l.Concurrency == 0 {
		return defaultConcurrency
	}
	return int(l.Concurrency)
}

// Timeout returns how long a request may take.
func (l ClusterLimits) Timeout() time.Duration { return secondsOr(l.TimeoutSeconds, defaultTimeout) }

// AbsencePolicy says what happens if a cluster cannot be reached for long.
type AbsencePolicy struct {
	// releaseAfterSeconds is how long rules that are being deleted, and this object if it is, wait for the cluster. After that, they no longer
	// wait, and status.owed lists what they leave there. It is deleted when the cluster is reached under this name, with the same identity.
	// Left out: they wait until somebody decides.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=31536000
	ReleaseAfterSeconds int32 `json:"releaseAfterSeconds,omitempty"`

	// stalledAfterSeconds is when a rule with copies there reports Stalled because of it. Defaults to 600.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=31536000
	StalledAfterSeconds int32 `json:"stalledAfterSeconds,omitempty"`
}

// ReleaseAfter returns how long those that are being deleted wait; 0: until somebody decides.
func (p AbsencePolicy) ReleaseAfter() time.Duration { return secondsOr(p.ReleaseAfterSeconds, 0) }

// StalledAfter returns when rules report Stalled.
func (p AbsencePolicy) StalledAfter() time.Duration {
	return secondsOr(p.StalledAfterSeconds, defaultStalledAfter)
}

func secondsOr(seconds int32, fallback time.Duration) time.Duration {
	if seconds == 0 {
		return fallback
	}
	return time.Duration(seconds) * time.Second
}
