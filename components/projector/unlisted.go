package projector

import (
	"errors"
	"fmt"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// unlisted says that it is not known which copies there are. The error of a kind that is not served is a sentence already.
func (s *scope[O]) unlisted(err error) error {
	if _, hidden := errors.AsType[*source.HiddenObjectsError](err); hidden {
		return plan.Retryable(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, err)
	}
	problem := policy.Problem{
		Reason:  v1.ReasonDestinationFetchFailed,
		Message: "the existing copies cannot be listed", Copies: policy.CopiesKept,
	}
	if unproven, ok := errors.AsType[*source.UnprovenError](err); ok {
		problem.Message = fmt.Sprintf("the API server does not serve the kind %s, and it is not known whether copies of it exist", unproven.Kind)
		problem.Advice = "the operator retries; grant it list on customresourcedefinitions and apiservices if it lacks that"
		err = unproven.Cause
	}
	if s.isDeleting() {
		problem.Copies = "copies that are not known are kept, and the rule stays"
	}
	return plan.Failed(v1.ConditionDestinationWritten, problem, err)
}
