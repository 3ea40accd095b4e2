package projector

import (
	"errors"
	"fmt"

	"projection.sh/operator/components/destination"
)

// namedErrors is how many errors a reconcile returns in full.
const namedErrors = 3

// joinErrors returns the errors for which the queue retries the rule. A write that was refused has a backoff of its own.
func joinErrors(lists ...[]destination.Outcome) error {
	var errs []error
	for _, outcome := range filter(func(o destination.Outcome) bool { return o.Err != nil && !o.Pending && o.RetryAfter == 0 }, lists...) {
		errs = append(errs, outcome.Err)
	}
	if more := len(errs) - namedErrors; more > 0 {
		errs = append(errs[:namedErrors], fmt.Errorf("and %d more copies failed", more))
	}
	return errors.Join(errs...)
}
