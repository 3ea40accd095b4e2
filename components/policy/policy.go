// Package policy decides whether a source may be projected, and onto what. Everything here is pure: values in, decisions out.
package policy

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

// Mode says what a source means that has no annotation of consent.
type Mode string

const (
	// Allowlist projects only what carries projection.sh/projectable: "true".
	Allowlist Mode = "allowlist"
	// Permissive projects whatever is not opted out.
	Permissive Mode = "permissive"
)

// ParseMode returns the mode of that name.
func ParseMode(name string) (Mode, error) {
	if mode := Mode(name); mode == Allowlist || mode == Permissive {
		return mode, nil
	}
	return "", fmt.Errorf("%q is no source mode; write %q or %q", name, Allowlist, Permissive)
}

// CopiesKept says of the copies that nothing is written or deleted.
const CopiesKept = "copies are kept"

// Problem is a decision and, for a refusal, its reason.
type Problem struct {
	// Reason is empty if the source may be projected.
	Reason string
	// Message says what is wrong, and with which object.
	Message string
	// Copies says what became of the copies. It may be empty.
	Copies string
	// Advice says what to do. It may be empty.
	Advice string
	// Cause is what the API server or the connection to it said. It may be empty.
	Cause string
}

// IsZero reports whether there is no problem.
func (p Problem) IsZero() bool { return p.Reason == "" }

// Sentence returns what the problem says in one line: what is wrong, the copies, the advice and, in parentheses, the cause.
func (p Problem) Sentence() string {
	parts := slices.DeleteFunc([]string{p.Message, p.Copies, p.Advice}, func(part string) bool { return part == "" })
	sentence := strings.Join(parts, "; ")
	if p.Cause != "" {
		sentence += " (" + p.Cause + ")"
	}
	return sentence
}

// CheckSource decides whether the source may be projected: somewhere, if its owner permits copies only in some namespaces. An opt-out holds
// in every mode, and so does a permission that cannot be understood. Credentials are never copied.
func (m Mode) CheckSource(source *unstructured.Unstructured) Problem {
	consent, said := source.GetAnnotations()[v1.AnnotationProjectable]
	permission, unparsed := PermissionOf(source.GetAnnotations())
	switch {
	case consent == v1.ProjectableFalse:
		return Problem{
			Reason:  v1.ReasonSourceOptedOut,
			Message: fmt.Sprintf("the owner of %s has opted out by the annotation %s: %q", nameOf(source), v1.AnnotationProjectable, v1.ProjectableFalse),
			Advice:  "ask the owner, or delete this rule",
		}
	case mutations.IsCredential(source):
		secretType, _, _ := unstructured.NestedString(source.Object, "type")
		return Problem{
			Reason:  v1.ReasonSourceNotProjectable,
			Message: fmt.Sprintf("%s is of type %s, a credential of its namespace, and is never copied", nameOf(source), secretType),
			Advice:  insteadOf(secretType),
		}
	case unparsed != nil:
		return unparsedSelector(nameOf(source), unparsed)
	case m == Permissive || consent == v1.ProjectableTrue || permission.IsLimited():
		return Problem{}
	case said:
		return Problem{
			Reason: v1.ReasonSourceNotProjectable,
			Message: fmt.Sprintf("the annotation %s of %s is neither %q nor \"%s <label selector>\"",
				v1.AnnotationProjectable, nameOf(source), v1.ProjectableTrue, v1.ProjectableNamespaces),
			Advice: "its owner has to correct it",
		}
	default:
		return Problem{
			Reason:  v1.ReasonSourceNotProjectable,
			Message: fmt.Sprintf("the owner of %s has not opted in", nameOf(source)),
			Advice:  fmt.Sprintf("the owner has to set the annotation %s: %q", v1.AnnotationProjectable, v1.ProjectableTrue),
		}
	}
}

// nameOf returns the kind, namespace and name of the source.
func nameOf(source *unstructured.Unstructured) string {
	return source.GetKind() + " " + source.GetNamespace() + "/" + source.GetName()
}

// insteadOf says what to do in place of copying a credential.
func insteadOf(credential string) string {
	if credential == mutations.TypeServiceAccountToken {
		return "create a ServiceAccount in the target namespace instead"
	}
	return "choose another source"
}

// Consents reports whether an object with these annotations may be projected, as far as its owner has a say: somewhere, if the owner permits
// copies only in some namespaces.
func (m Mode) Consents(annotations map[string]string) bool {
	consent := annotations[v1.AnnotationProjectable]
	permission, err := PermissionOf(annotations)
	return consent != v1.ProjectableFalse && err == nil && (m == Permissive || consent == v1.ProjectableTrue || permission.IsLimited())
}
