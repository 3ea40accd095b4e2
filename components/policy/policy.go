// Package policy decides whether a source may be projected, and onto what. Everything here is pure: values in, decisions out.
package policy

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
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

// Problem is a decision and, for a refusal, its reason.
type Problem struct {
	// Reason is empty if the source may be projected.
	Reason string
	// Message says what to do about a refusal.
	Message string
}

// IsZero reports whether there is no problem.
func (p Problem) IsZero() bool { return p.Reason == "" }

// credentials are types of Secrets that identify somebody to the API server; a copy would be a second identity.
var credentials = []corev1.SecretType{corev1.SecretTypeServiceAccountToken, "bootstrap.kubernetes.io/token"}

// CheckSource decides whether the source may be projected. An opt-out holds in every mode, and credentials are never copied.
func (m Mode) CheckSource(source *unstructured.Unstructured) Problem {
	consent, said := source.GetAnnotations()[v1.AnnotationProjectable]
	switch {
	case consent == v1.ProjectableFalse:
		return Problem{v1.ReasonSourceOptedOut, fmt.Sprintf("the owner of the source vetoes its projection (annotation %s: %q)",
			v1.AnnotationProjectable, v1.ProjectableFalse)}
	case isCredential(source):
		secretType, _, _ := unstructured.NestedString(source.Object, "type")
		return Problem{v1.ReasonSourceNotProjectable, fmt.Sprintf("a Secret of type %s is a credential of its own namespace and is never projected", secretType)}
	case m == Permissive || consent == v1.ProjectableTrue:
		return Problem{}
	case said:
		return Problem{v1.ReasonSourceNotProjectable, fmt.Sprintf("the source's annotation %s has a value other than %q; its owner has to set it to %[2]q",
			v1.AnnotationProjectable, v1.ProjectableTrue)}
	default:
		return Problem{v1.ReasonSourceNotProjectable, fmt.Sprintf("the source does not consent; its owner has to set the annotation %s: %q",
			v1.AnnotationProjectable, v1.ProjectableTrue)}
	}
}

// Consents reports whether an object with these annotations may be projected, as far as its owner has a say.
func (m Mode) Consents(annotations map[string]string) bool {
	consent := annotations[v1.AnnotationProjectable]
	return consent != v1.ProjectableFalse && (m == Permissive || consent == v1.ProjectableTrue)
}

func isCredential(source *unstructured.Unstructured) bool {
	if gvk := source.GroupVersionKind(); gvk.Group != "" || gvk.Kind != "Secret" {
		return false
	}
	secretType, _, _ := unstructured.NestedString(source.Object, "type")
	return slices.Contains(credentials, corev1.SecretType(secretType))
}
