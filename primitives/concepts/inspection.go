package concepts

import "sigs.k8s.io/controller-runtime/pkg/client"

// DataExtractable is a resource that hands values of its object on to later resources.
type DataExtractable interface {
	// ExtractData is called right after the resource was applied or read, before the next resource is looked at.
	ExtractData() error
}

// ObservationRecorder is a resource that wants to know the object that was read for it. Only read-only resources are
// read.
type ObservationRecorder interface {
	// RecordObservation takes the object that was read.
	RecordObservation(observed client.Object) error
}

// Previewable is a resource that can show what would be applied, without an API server.
type Previewable interface {
	// Preview returns the desired object after all enabled mutations. It changes no state.
	Preview() (client.Object, error)
}

// MutationInspector is a resource that can name its mutations.
type MutationInspector interface {
	// RegisteredMutations returns the names of all mutations in the order of registration, each once.
	RegisteredMutations() []string
	// FiringSet returns the names of the mutations whose gates are open.
	FiringSet() ([]string, error)
}

// MetricsIdentifiable is a resource with a name of its own in metrics.
type MetricsIdentifiable interface {
	// MetricsIdentifier returns what tells the resource apart from others of its kind in the same component. It must not
	// depend on the owner: each value is a series. A blank one counts as none.
	//
	// Example: a component applies two ConfigMaps. "settings" and "scripts" tell which of them fails, for all owners.
	MetricsIdentifier() string
}
