package policy

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/primitives/concepts"
)

// DestinationIsSource is what a rule hears that would overwrite its own source.
const DestinationIsSource = "the destination is the source itself; set spec.destination.name or choose another namespace"

// NotTheSource guards a copy against taking the place of its source.
func NotTheSource(source v1.SourceRef) func(unstructured.Unstructured) (concepts.GuardStatusWithReason, error) {
	return func(copied unstructured.Unstructured) (concepts.GuardStatusWithReason, error) {
		if copied.GetNamespace() == source.Namespace && copied.GetName() == source.Name {
			return concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: DestinationIsSource}, nil
		}
		return concepts.GuardStatusWithReason{Status: concepts.GuardStatusUnblocked}, nil
	}
}
