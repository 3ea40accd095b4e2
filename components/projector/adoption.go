package projector

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// emitAdopted sends an event about the foreign objects that became copies.
func (s *scope[O]) emitAdopted() {
	adopted := withAction(s.local.outcomes, destination.Adopted)
	if len(adopted) == 0 {
		return
	}
	what := strconv.Itoa(len(adopted)) + " objects, which are copies now"
	if len(adopted) == 1 {
		what = "the object " + adopted[0].Place.String() + ", which is a copy now"
	}
	s.emit(corev1.EventTypeNormal, v1.ReasonDestinationAdopted, actionAdopt, "adopted "+what, adopted)
}
