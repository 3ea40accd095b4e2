package forecast

import (
	"context"
	"errors"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
)

func TestFailedRequestIsNoProblemOfTheRule(t *testing.T) {
	maps := schema.GroupResource{Resource: "configmaps"}
	of := func(err error) error {
		return plan.Failed(v1.ConditionSourceResolved, policy.Problem{Reason: v1.ReasonSourceFetchFailed, Message: "it cannot be read"}, err)
	}
	tests := map[string]struct {
		err   error
		state State // empty: the command fails
	}{
		"no error":                {},
		"another error":           {err: errors.New("boom")},
		"forbidden":               {err: of(apierrors.NewForbidden(maps, "x", nil)), state: Unknown},
		"not authenticated":       {err: of(apierrors.NewUnauthorized("no"))},
		"an internal error":       {err: of(apierrors.NewInternalError(errors.New("boom")))},
		"too many requests":       {err: of(apierrors.NewTooManyRequests("later", 1))},
		"no connection":           {err: of(&url.Error{Op: "Get", Err: errors.New("refused")})},
		"it took too long":        {err: of(context.DeadlineExceeded)},
		"the user has stopped it": {err: of(context.Canceled)},
		"a copy that cannot be rendered": {
			err: of(&destination.RenderError{Message: "no"}), state: Refused,
		},
		"a rule that is not valid": {err: &plan.Error{Problem: policy.Problem{Reason: v1.ReasonRuleInvalid}}, state: Refused},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			verdict, isProblem := problemOf(test.err)
			assert.Equal(t, test.state, verdict.State)
			assert.Equal(t, test.state != "", isProblem)
		})
	}
}
