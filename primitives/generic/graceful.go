package generic

import (
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

// gracefulResource is a resource with an opinion about not having converged in time.
type gracefulResource[T client.Object, M MutatorApplier] struct {
	BaseResource[T, M]

	// GraceStatusHandler tells how bad it is that the resource has not converged.
	GraceStatusHandler func(T) (concepts.GraceStatusWithReason, error)
}

// GraceStatus tells how bad it is that the resource has not converged.
func (r *gracefulResource[T, M]) GraceStatus() (concepts.GraceStatusWithReason, error) {
	if r.GraceStatusHandler == nil {
		return concepts.GraceStatusWithReason{}, errors.New("grace status handler is not configured")
	}
	return r.GraceStatusHandler(r.DesiredObject)
}

func defaultGraceStatus[T client.Object](T) (concepts.GraceStatusWithReason, error) {
	return concepts.GraceStatusWithReason{Status: concepts.GraceStatusHealthy, Reason: "default grace status"}, nil
}
