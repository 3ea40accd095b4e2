package policy

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/primitives/concepts"
)

// DestinationIsSource is the message for a rule that would overwrite its own source.
const DestinationIsSource = "the destination is the source itself; set spec.destination.name or choose another namespace"

// Withdrawn is the reason for which a copy that was planned is not written: it is not wanted any more.
const Withdrawn = "the copy is not wanted any more"

// DestinationGuard returns a guard that blocks a copy if it would take the place of its source, or if withdrawn reports that no
// copy is wanted in its namespace any more. The function withdrawn may be nil.
func DestinationGuard(
	source v1.SourceRef, withdrawn func(namespace string) bool,
) func(unstructured.Unstructured) (concepts.GuardStatusWithReason, error) {
	return func(copied unstructured.Unstructured) (concepts.GuardStatusWithReason, error) {
		if withdrawn != nil && withdrawn(copied.GetNamespace()) {
			return concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: Withdrawn}, nil
		}
		sameKind := copied.GroupVersionKind().GroupKind() == source.GroupKind()
		if sameKind && copied.GetNamespace() == source.Namespace && copied.GetName() == source.Name {
			return concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: DestinationIsSource}, nil
		}
		return concepts.GuardStatusWithReason{Status: concepts.GuardStatusUnblocked}, nil
	}
}
