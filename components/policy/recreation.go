package policy

import v1 "projection.sh/operator/api/v1"

// CheckRecreation refuses a Projection that recreates copies with the permissions of the operator; needsAccount reports whether the rule is a
// Projection without a service account.
//
// Example: a tenant who may not create a Deployment would have the operator do it by an edit of the rule.
func CheckRecreation(needsAccount bool, policy v1.Policy) Problem {
	if !needsAccount || policy.OnImmutable != v1.ImmutableRecreate {
		return Problem{}
	}
	return Problem{
		Reason:  v1.ReasonRuleInvalid,
		Message: "to recreate its copy, a Projection needs a service account whose permissions it uses",
		Copies:  CopiesKept,
		Advice:  "set spec.serviceAccountName, or remove spec.policy.onImmutable",
	}
}
