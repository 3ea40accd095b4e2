package static

import (
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/unstructured"
)

// Resource is an object without a Go type that is ready as soon as it is applied. It contributes nothing to the health
// of its component and is left alone by a suspension.
type Resource struct {
	base *generic.StaticResource[*uns.Unstructured, *unstructured.Mutator]
}

var (
	_ concepts.Guardable           = (*Resource)(nil)
	_ concepts.DataExtractable     = (*Resource)(nil)
	_ concepts.ObservationRecorder = (*Resource)(nil)
	_ concepts.Previewable         = (*Resource)(nil)
	_ concepts.MutationInspector   = (*Resource)(nil)
)

// Identity names the object as unstructured.MakeIdentityFunc says.
func (r *Resource) Identity() string { return r.base.Identity() }

// Object returns a copy of the desired object.
func (r *Resource) Object() (client.Object, error) { return r.base.Object() }

// Mutate changes current by the enabled mutations and makes it the desired object.
func (r *Resource) Mutate(current client.Object) error { return r.base.Mutate(current) }

// GuardStatus asks the guard.
func (r *Resource) GuardStatus() (concepts.GuardStatusWithReason, error) { return r.base.GuardStatus() }

// ExtractData calls the extractors.
func (r *Resource) ExtractData() error { return r.base.ExtractData() }

// RecordObservation makes an object that was read the desired object.
func (r *Resource) RecordObservation(observed client.Object) error {
	return r.base.RecordObservation(observed)
}

// Preview is PreviewObject for callers that do not know the type.
func (r *Resource) Preview() (client.Object, error) { return r.base.Preview() }

// PreviewObject returns a copy of the desired object after all enabled mutations. It needs no API server.
func (r *Resource) PreviewObject() (*uns.Unstructured, error) { return r.base.PreviewObject() }

// RegisteredMutations returns the names of all mutations in the order of registration.
func (r *Resource) RegisteredMutations() []string { return r.base.RegisteredMutations() }

// FiringSet returns the names of the mutations whose gates are open.
func (r *Resource) FiringSet() ([]string, error) { return r.base.FiringSet() }
