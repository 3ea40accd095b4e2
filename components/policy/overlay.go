package policy

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

// CheckOverlay decides whether a rule may set fields of its copies. With a consenting Deployment as a pretext, the author of a Projection
// could have the operator make any Deployment. So a Projection without a service account sets fields of objects that are nothing but data, and
// labels and annotations of others. Who may write ClusterProjections is trusted with the operator's rights.
func CheckOverlay(dataOnly bool, source, copies schema.GroupKind, fields []v1.OverlayField) Problem {
	secret := schema.GroupKind{Kind: "Secret"}
	for _, field := range fields {
		isMetadata := strings.HasPrefix(field.Path, "metadata.")
		switch first, _, _ := strings.Cut(strings.ReplaceAll(field.Path, "[", "."), "."); {
		case (source == secret || copies == secret) && (field.Path == "data" || field.Path == "binaryData"):
			return Problem{
				Reason:  v1.ReasonRuleInvalid,
				Message: fmt.Sprintf("spec.overlay.fields has the path %s, and keys of a Secret are set one by one", field.Path),
				Copies:  CopiesKept, Advice: `write paths such as data["password"]`,
			}
		case copies == secret && first == "stringData":
			return Problem{
				Reason:  v1.ReasonRuleInvalid,
				Message: fmt.Sprintf("spec.overlay.fields has the path %s, and a Secret is not stored with stringData", field.Path),
				Copies:  CopiesKept, Advice: "set data, whose values are encoded by the operator",
			}
		case dataOnly && !isMetadata && !mutations.IsReplaceable(copies):
			return Problem{
				Reason:  v1.ReasonRuleInvalid,
				Message: fmt.Sprintf("to set fields of a %s, a Projection needs a service account whose permissions it uses", copies.Kind),
				Copies:  CopiesKept,
				Advice:  "set spec.serviceAccountName, or set only labels and annotations",
			}
		}
	}
	return Problem{}
}
