package forecast

import (
	"slices"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

// ReportedIn returns what the operator reports of the rule in the namespace; nil: no failure, or none that the status has room for.
func ReportedIn(rule access.Rule, namespace string) *v1.NamespaceFailure {
	object, ok := rule.Object.(*v1.ClusterProjection)
	if !ok {
		return nil
	}
	i := slices.IndexFunc(object.Status.Failures, func(f v1.NamespaceFailure) bool { return f.Namespace == namespace })
	if i < 0 {
		return nil
	}
	return &object.Status.Failures[i]
}

// explain gives a verdict on a copy that is missing or out of sync the reason that the operator reports of its namespace. Of a rule that selects
// sources, it is not known which of the copies there it concerns; and a report on a former generation says nothing of what the rule wants now.
//
// Example: a quota refuses the copy. Its absence is all that can be seen in the namespace.
func explain(rule access.Rule, verdict Verdict) Verdict {
	isWaiting := verdict.Reason == "" && (verdict.State == Missing || verdict.State == OutOfSync)
	if !isWaiting || rule.Spec.Selects() || !rule.IsObserved() {
		return verdict
	}
	if failure := ReportedIn(rule, verdict.Namespace); failure != nil {
		verdict.Reason, verdict.Message = failure.Reason, failure.Message
	}
	return verdict
}
