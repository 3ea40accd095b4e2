package apierr

import (
	"errors"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// immutableWords are the words by which kinds say that a field can be set only once.
var immutableWords = []string{"immutable", "cannot change", "may not change", "updates to "}

// IsImmutable reports whether the API server refuses to change what can be set only once.
func IsImmutable(err error) bool {
	var status apierrors.APIStatus
	if !apierrors.IsInvalid(err) || !errors.As(err, &status) || status.Status().Details == nil {
		return false
	}
	return slices.ContainsFunc(status.Status().Details.Causes, func(cause metav1.StatusCause) bool {
		return cause.Field != "" && slices.ContainsFunc(immutableWords, func(words string) bool { return strings.Contains(cause.Message, words) })
	})
}
