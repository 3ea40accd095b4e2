package destination

import (
	"errors"

	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/metrics"
)

// observeAdoption observes how the attempt ended if it was to adopt the object that is there. What an earlier attempt found is not observed again,
// nor is an attempt that a lost connection ended.
func (a *attempt) observeAdoption(err error) {
	if result := a.adoption(err); result != "" && a.set.ObserveAdoption != nil {
		a.set.ObserveAdoption(result)
	}
}

// adoption returns what became of the object that is there; empty: it was not to be adopted, or nothing is known.
func (a *attempt) adoption(err error) metrics.Adoption {
	var inTheWay *conflictError
	switch {
	case a.adopted:
		return metrics.Adopted
	case !a.set.OnConflict.Adopts() || a.outcome.Repeated:
		return ""
	case !errors.As(err, &inTheWay):
		if a.watched && (apierr.IsTerminal(err) || apierr.IsDenied(err)) {
			return metrics.AdoptionRefused
		}
		return ""
	case inTheWay.waits:
		return ""
	case inTheWay.differs:
		return metrics.AdoptionDiffers
	default:
		return metrics.AdoptionRefused
	}
}
