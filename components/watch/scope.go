package watch

import (
	"errors"
	"fmt"
	"hash/fnv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/components/policy"
)

// Scope says which changes of an object can undo a finding. Each scope includes those before it.
type Scope int

const (
	// Ownership is which object it is, whether it is being deleted, and which owner and place it names. Findings that have no scope have this one.
	Ownership Scope = iota
	// Claims is what keeps every rule from adopting the object.
	Claims
	// Content is everything but its status.
	Content
	scopes
)

// fingerprints of an object differ in a scope if the object has changed in it. Those of an object that is gone are 0.
type fingerprints [scopes]uint64

func fingerprintsOf(object metav1.Object) fingerprints {
	ownership := ownershipFingerprint(object)
	claims := fnv.New64a()
	_, _ = fmt.Fprint(claims, ownership, policy.ObstacleTo(object).Is)
	whole := contentFingerprintOf(object)
	content := fnv.New64a()
	_, _ = fmt.Fprint(content, claims.Sum64(), " ", whole.metadata, " ", whole.generation)
	if whole.generation == 0 { // the kind has none: nothing shows what a new version changes
		_, _ = fmt.Fprint(content, object.GetResourceVersion())
	}
	return fingerprints{ownership, claims.Sum64(), content.Sum64()}
}

// scopedFinding is a finding that says what it depends on.
type scopedFinding interface {
	error
	Scope() Scope
}

// scopeOf returns the scope of a finding.
func scopeOf(finding error) Scope {
	if scoped, found := errors.AsType[scopedFinding](finding); found {
		return scoped.Scope()
	}
	return Ownership
}
