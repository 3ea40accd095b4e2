package policy

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/primitives/concepts"
)

// DestinationIsSource is the message for a rule that would overwrite its own source.
const DestinationIsSource = "the destination is the source itself; set spec.destination.name or choose another namespace"

// DestinationIsLayer is the message for a rule that would overwrite one of its layers.
const DestinationIsLayer = "the destination is a layer of this rule; set spec.destination.name or choose another namespace"

// Withdrawn is the reason for which a copy that was planned is not written: it is not wanted any more.
const Withdrawn = "the copy is not wanted any more"

// DestinationGuard returns a guard that blocks a copy in the cluster if it would take the place of its source or of a layer, or if withdrawn reports
// that no copy is wanted in its namespace any more. The name of the cluster is empty if it is that of the rule. The function withdrawn may be nil.
func DestinationGuard(
	cluster string, source v1.SourceRef, layers []v1.LayerSpec, withdrawn func(namespace string) bool,
) func(unstructured.Unstructured) (concepts.GuardStatusWithReason, error) {
	return func(copied unstructured.Unstructured) (concepts.GuardStatusWithReason, error) {
		if withdrawn != nil && withdrawn(copied.GetNamespace()) {
			return concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: Withdrawn}, nil
		}
		if isAt(cluster, copied, source) {
			return concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: DestinationIsSource}, nil
		}
		if slices.ContainsFunc(layers, func(layer v1.LayerSpec) bool { return isAt(cluster, copied, layer.Source) }) {
			return concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: DestinationIsLayer}, nil
		}
		return concepts.GuardStatusWithReason{Status: concepts.GuardStatusUnblocked}, nil
	}
}

// isAt reports whether the copy in the cluster is to be where the source is.
//
// Example: a copy of platform/ca in this cluster may be platform/ca in another one.
func isAt(cluster string, copied unstructured.Unstructured, source v1.SourceRef) bool {
	return source.Cluster == cluster &&
		copied.GroupVersionKind().GroupKind() == source.GroupKind() && copied.GetNamespace() == source.Namespace && copied.GetName() == source.Name
}
