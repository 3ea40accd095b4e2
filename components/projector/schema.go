package projector

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
)

// checkFields refuses a rule that uses fields which this version of the operator does not know. If it ignored them, it might
// copy more than the rule says. Decoding drops such fields, so as long as the CustomResourceDefinition may have one, checkFields
// reads the stored rule from the API server.
//
// Example: a later version adds a field that says which keys of a Secret are copied. This version would copy all keys.
func (s *scope[O]) checkFields(ctx context.Context) error {
	if s.hub.Schema.AllFieldsKnown(ctx) {
		return nil
	}
	stored := &unstructured.Unstructured{}
	stored.SetGroupVersionKind(v1.GroupVersion.WithKind(s.id.Kind.Name))
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := s.hub.Live.Get(limited, s.id.Key(), stored)
	switch {
	case apierr.IsObjectNotFound(err, s.id.Name):
		return errOutdated
	case err != nil:
		return plan.Failed(v1.ConditionDestinationWritten, policy.Problem{
			Reason:  v1.ReasonDestinationFetchFailed,
			Message: "this " + s.id.Kind.Name + " cannot be read", Copies: policy.CopiesKept,
		}, err)
	case stored.GetUID() != s.id.UID || stored.GetGeneration() != s.rule.GetGeneration():
		return errOutdated
	}
	if fields := s.hub.Schema.Unknown(stored); len(fields) > 0 {
		return &plan.Error{
			Condition: v1.ConditionDestinationWritten,
			Problem:   policy.Problem{Reason: v1.ReasonRuleInvalid, Message: unknownFieldsMessage(fields)},
		}
	}
	return nil
}

// namedFields is how many fields a message names; the others are counted.
const namedFields = 3

func unknownFieldsMessage(fields []string) string {
	named, them := strings.Join(fields[:min(len(fields), namedFields)], ", "), "the field"
	if len(fields) > 1 {
		them = "these fields"
	}
	if more := len(fields) - namedFields; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return "this version of the operator does not know " + named + "; upgrade the operator, or remove " + them + "; the copies stay as they are"
}
