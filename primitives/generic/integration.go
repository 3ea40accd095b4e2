package generic

import (
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

// IntegrationResource is a resource whose readiness is in the hands of another controller.
type IntegrationResource[T client.Object, M MutatorApplier] struct {
	gracefulResource[T, M]

	// OperationalStatusHandler reports whether the resource is usable.
	OperationalStatusHandler func(concepts.ConvergingOperation, T) (concepts.OperationalStatusWithReason, error)
}

// ConvergingStatus reports whether the resource is usable, given what was done to it.
func (r *IntegrationResource[T, M]) ConvergingStatus(op concepts.ConvergingOperation) (concepts.OperationalStatusWithReason, error) {
	if r.OperationalStatusHandler == nil {
		return concepts.OperationalStatusWithReason{}, errors.New("operational status handler is not configured")
	}
	return r.OperationalStatusHandler(op, r.DesiredObject)
}

// IntegrationBuilder builds an IntegrationResource.
type IntegrationBuilder[T client.Object, M MutatorApplier] struct {
	fluentBuilder[*IntegrationBuilder[T, M], T, M]

	operational func(concepts.ConvergingOperation, T) (concepts.OperationalStatusWithReason, error)
	grace       func(T) (concepts.GraceStatusWithReason, error)
}

// NewIntegrationBuilder starts an integration. It needs an operational status. Faults of the arguments are reported by
// Build.
func NewIntegrationBuilder[T client.Object, M MutatorApplier](
	obj T, identityFunc func(T) string, newMutator func(T) M,
) *IntegrationBuilder[T, M] {
	b := &IntegrationBuilder[T, M]{grace: defaultGraceStatus[T]}
	b.init(b, obj, identityFunc, newMutator)
	return b
}

// WithCustomOperationalStatus sets the handler that reports whether the resource is usable.
func (b *IntegrationBuilder[T, M]) WithCustomOperationalStatus(
	handler func(concepts.ConvergingOperation, T) (concepts.OperationalStatusWithReason, error),
) *IntegrationBuilder[T, M] {
	b.operational = handler
	return b
}

// WithCustomGraceStatus replaces the handler that tells how bad it is not to have converged in time; by default that is
// Healthy.
func (b *IntegrationBuilder[T, M]) WithCustomGraceStatus(
	handler func(T) (concepts.GraceStatusWithReason, error),
) *IntegrationBuilder[T, M] {
	b.grace = handler
	return b
}

// Build validates and returns the resource.
func (b *IntegrationBuilder[T, M]) Build() (*IntegrationResource[T, M], error) {
	if err := b.ValidateBase(); err != nil {
		return nil, err
	}
	if b.operational == nil {
		return nil, errors.New("operational status handler is required")
	}
	return &IntegrationResource[T, M]{
		gracefulResource:         gracefulResource[T, M]{BaseResource: *b.BaseRes, GraceStatusHandler: b.grace},
		OperationalStatusHandler: b.operational,
	}, nil
}
