package projector

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/answer"
)

// understand refuses a rule that uses fields which this version of the operator does not know. If it ignored them, it might
// copy more than the rule says. Decoding drops such fields, so as long as the definition may have one, understand reads the
// stored rule from the API server.
//
// Example: a later version adds a field that says which keys of a Secret are copied. This version would copy all keys.
func (p *pass[O]) understand(ctx context.Context) error {
	if p.parts.Definition.Known(ctx) {
		return nil
	}
	stored := &unstructured.Unstructured{}
	stored.SetGroupVersionKind(v1.GroupVersion.WithKind(p.id.Tier.Kind))
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := p.parts.Live.Get(limited, p.id.Key(), stored)
	switch {
	case answer.Missing(err, p.id.Name):
		return errOutdated
	case err != nil:
		return unknown(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, fmt.Errorf("read the rule: %w", err))
	case stored.GetUID() != p.id.UID || stored.GetGeneration() != p.rule.GetGeneration():
		return errOutdated
	}
	if fields := p.parts.Definition.Unknown(stored); len(fields) > 0 {
		return &halt{condition: v1.ConditionDestinationWritten, verdict: verdict{v1.ReasonRuleInvalid, notUnderstood(fields)}}
	}
	return nil
}

// namedFields is how many fields a message names; the others are counted.
const namedFields = 3

func notUnderstood(fields []string) string {
	named, them := strings.Join(fields[:min(len(fields), namedFields)], ", "), "the field"
	if len(fields) > 1 {
		them = "these fields"
	}
	if more := len(fields) - namedFields; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return "this version of the operator does not know " + named + "; upgrade the operator, or remove " + them + "; the copies stay as they are"
}
