package policy

import (
	"fmt"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

// CheckFields decides whether a rule may choose fields of its source. The owner of a source consents to copies, and the author of a
// Projection may be allowed less than the operator: without the podSelector, the copy of a NetworkPolicy applies to all pods. So a
// Projection chooses fields of objects that are nothing but data. Who may write ClusterProjections is trusted with the operator's rights.
func CheckFields(namespaced bool, source v1.SourceRef, fields v1.FieldFilter) Problem {
	if !namespaced || len(fields.Include)+len(fields.Exclude) == 0 || mutations.IsReplaceable(source.GroupKind()) {
		return Problem{}
	}
	return Problem{
		Reason: v1.ReasonRuleInvalid,
		Message: fmt.Sprintf("to choose fields of a %s, a Projection needs a service account whose rights it uses, which this version of the operator "+
			"does not support", source.Kind),
		Copies: "copies are kept",
		Advice: "remove spec.content.fields, or ask the platform team for a ClusterProjection",
	}
}
