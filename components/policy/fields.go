package policy

import (
	"fmt"
	"slices"
	"strings"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

// CheckFields decides whether a rule may choose fields of its source. The owner of a source consents to copies, and the author of a
// Projection may be allowed less than the operator: without the podSelector, the copy of a NetworkPolicy applies to all pods. So a
// Projection without a service account chooses fields of objects that are nothing but data: the copy would be written with the operator's
// permissions. Who may write ClusterProjections is trusted with these.
func CheckFields(dataOnly bool, source v1.SourceRef, fields v1.FieldFilter) Problem {
	if key := keyIn(source, fields); key != "" {
		return Problem{
			Reason:  v1.ReasonRuleInvalid,
			Message: fmt.Sprintf("spec.content.fields has the path %s, and keys of a %s are not fields", key, source.Kind),
			Copies:  CopiesKept, Advice: "choose keys by spec.content.data",
		}
	}
	if !dataOnly || fields.CopiesAll() || mutations.IsReplaceable(source.GroupKind()) {
		return Problem{}
	}
	return Problem{
		Reason:  v1.ReasonRuleInvalid,
		Message: fmt.Sprintf("to choose fields of a %s, a Projection needs a service account whose permissions it uses", source.Kind),
		Copies:  CopiesKept,
		Advice:  "set spec.serviceAccountName, or remove spec.content.fields",
	}
}

// keyIn returns the first path that leads to keys of a ConfigMap or Secret; empty if there is none.
func keyIn(source v1.SourceRef, fields v1.FieldFilter) string {
	if !mutations.IsReplaceable(source.GroupKind()) {
		return ""
	}
	for _, path := range slices.Concat(fields.Include, fields.Exclude) {
		field := strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' })
		if len(field) > 1 && slices.Contains([]string{"data", "binaryData", "stringData"}, field[0]) {
			return path
		}
	}
	return ""
}
