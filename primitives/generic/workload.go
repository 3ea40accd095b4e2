package generic

import (
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

var (
	errConvergingStatusRequired      = errors.New("converging status handler is required")
	errConvergingStatusNotConfigured = errors.New("converging status handler is not configured")
)

// WorkloadResource is a long-running resource.
type WorkloadResource[T client.Object, M MutatorApplier] struct {
	gracefulResource[T, M]

	// ConvergingStatusHandler tells how far the resource is.
	ConvergingStatusHandler func(concepts.ConvergingOperation, T) (concepts.AliveStatusWithReason, error)
}

// ConvergingStatus tells how far the resource is, given what was done to it.
func (r *WorkloadResource[T, M]) ConvergingStatus(op concepts.ConvergingOperation) (concepts.AliveStatusWithReason, error) {
	if r.ConvergingStatusHandler == nil {
		return concepts.AliveStatusWithReason{}, errConvergingStatusNotConfigured
	}
	return r.ConvergingStatusHandler(op, r.DesiredObject)
}

// WorkloadBuilder builds a WorkloadResource.
type WorkloadBuilder[T client.Object, M MutatorApplier] struct {
	fluentBuilder[*WorkloadBuilder[T, M], T, M]

	converging func(concepts.ConvergingOperation, T) (concepts.AliveStatusWithReason, error)
	grace      func(T) (concepts.GraceStatusWithReason, error)
}

// NewWorkloadBuilder starts a long-running resource. It needs a converging status. Faults of the arguments are reported
// by Build.
func NewWorkloadBuilder[T client.Object, M MutatorApplier](
	obj T, identityFunc func(T) string, newMutator func(T) M,
) *WorkloadBuilder[T, M] {
	b := &WorkloadBuilder[T, M]{grace: defaultGraceStatus[T]}
	b.init(b, obj, identityFunc, newMutator)
	return b
}

// WithCustomConvergeStatus sets the handler that tells how far the resource is.
func (b *WorkloadBuilder[T, M]) WithCustomConvergeStatus(
	handler func(concepts.ConvergingOperation, T) (concepts.AliveStatusWithReason, error),
) *WorkloadBuilder[T, M] {
	b.converging = handler
	return b
}

// WithCustomGraceStatus replaces the handler that tells how bad it is not to have converged in time; by default that is
// Healthy.
func (b *WorkloadBuilder[T, M]) WithCustomGraceStatus(
	handler func(T) (concepts.GraceStatusWithReason, error),
) *WorkloadBuilder[T, M] {
	b.grace = handler
	return b
}

// Build validates and returns the resource.
func (b *WorkloadBuilder[T, M]) Build() (*WorkloadResource[T, M], error) {
	if err := b.ValidateBase(); err != nil {
		return nil, err
	}
	if b.converging == nil {
		return nil, errConvergingStatusRequired
	}
	return &WorkloadResource[T, M]{
		gracefulResource:        gracefulResource[T, M]{BaseResource: *b.BaseRes, GraceStatusHandler: b.grace},
		ConvergingStatusHandler: b.converging,
	}, nil
}
