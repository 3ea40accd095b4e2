// Package apierr reads the errors of the API server: what they prove, and which message people may see.
package apierr

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// IsObjectNotFound reports whether the error proves that the very object of that name does not exist. A kind or a path that is not
// served is a 404 as well, and proves nothing.
func IsObjectNotFound(err error, name string) bool {
	var status apierrors.APIStatus
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details != nil && details.Name == name && len(details.Causes) == 0
}

// IsTerminal reports whether the API server has read the request and will not have it, however often it is asked: rights, a
// quota, a policy or the request itself have to change first. So does what keeps the operator from sending it. That a namespace is ending is
// no refusal.
func IsTerminal(err error) bool {
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return false
	}
	if IsUnsent(err) {
		return true
	}
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) ||
		apierrors.IsRequestEntityTooLargeError(err) || apierrors.IsMethodNotSupported(err) || schemaMismatch(err) != ""
}

// IsImpersonationForbidden reports whether the operator may not make requests in the name of a service account. Nothing is said of what the
// service account may do.
func IsImpersonationForbidden(err error) bool {
	return impersonationMessage(err) != ""
}

// typedPatch is how the API server introduces why an object cannot be applied, whatever version of it there is.
const typedPatch = "failed to create typed patch object ("

// schemaMismatch returns why an object does not fit the schema of its kind; empty if that is not what the error says.
func schemaMismatch(err error) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return ""
	}
	_, said, found := strings.Cut(status.Status().Message, typedPatch)
	_, why, explained := strings.Cut(said, "): ")
	if !found || !explained {
		return ""
	}
	why, _, _ = strings.Cut(why, gotValue)
	return why
}

// maxMessage bounds a sentence, in bytes.
const maxMessage = 400

// gotValue begins the value in what the API server says of an applied object that does not fit the schema of its kind.
const gotValue = ", got &"

// Message returns what went wrong in one bounded line that may be shown to anybody who may read the rule. The API server
// quotes values of an invalid object in its answer; the message has only the names of the fields. The words of a policy or a webhook, and
// what a decoder quotes, are in the message; errors of requests about Secrets are redacted before.
func Message(err error) string {
	if redacted, ok := errors.AsType[*redactedError](err); ok {
		return redacted.Error()
	}
	if unsent, ok := errors.AsType[*UnsentError](err); ok {
		return truncate(unsent.Message)
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return truncate(connectionMessage(err))
	}
	if apierrors.IsConflict(err) {
		return "another writer changed the object during the write"
	}
	if said := impersonationMessage(err); said != "" {
		return truncate(said)
	}
	said := status.Status()
	if why := schemaMismatch(err); why != "" {
		return truncate("server-side apply rejects the content of the source: " + why)
	}
	if !apierrors.IsInvalid(err) || deniedBy(said.Message) != "" {
		return truncate(said.Message)
	}
	return truncate(invalidMessage(said.Details))
}

// connectionMessage leaves the addresses out of an error of the network: they differ from try to try.
func connectionMessage(err error) string {
	var operation *net.OpError
	var request *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "the API server did not answer in time"
	case errors.As(err, &operation):
		return fmt.Sprintf("the connection to the API server failed: %s: %v", operation.Op, operation.Err)
	case errors.As(err, &request):
		return fmt.Sprintf("the connection to the API server failed: %v", request.Err)
	default:
		return err.Error()
	}
}

func truncate(sentence string) string {
	sentence = strings.Join(strings.Fields(strings.ToValidUTF8(sentence, "\uFFFD")), " ")
	if len(sentence) <= maxMessage {
		return sentence
	}
	end := maxMessage
	for end > 0 && !utf8.RuneStart(sentence[end]) {
		end--
	}
	return sentence[:end] + "…"
}
