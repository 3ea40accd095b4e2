package apierr

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// isSecret reports whether objects of the resource are Secrets.
func isSecret(resource schema.GroupResource) bool {
	return resource == schema.GroupResource{Resource: "secrets"}
}

// Redact returns the error of a request about objects of the resource with a text that may be shown and logged: of Secrets,
// it quotes nothing. What the error proves stays as it is.
func Redact(resource schema.GroupResource, err error) error {
	if !isSecret(resource) {
		return err
	}
	return RedactSecret(err)
}

// RedactSecret is Redact for requests about objects that hold what a Secret holds, of whichever kind they are.
func RedactSecret(err error) error {
	if err == nil {
		return nil
	}
	return &redactedError{err}
}

// redactedError is an error that may quote a Secret, and does not show it.
type redactedError struct{ cause error }

func (e *redactedError) Error() string { return redactedMessage(e.cause) }

// Unwrap returns what the API server, the connection or a decoder said.
func (e *redactedError) Unwrap() error { return e.cause }

// RedactEvent returns the object by which a watch on the resource says that it has failed, likewise. What the client cannot
// decode of an event, it quotes there.
func RedactEvent(resource schema.GroupResource, object runtime.Object) runtime.Object {
	if !isSecret(resource) {
		return object
	}
	err := apierrors.FromObject(object)
	redacted := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Reason: metav1.StatusReasonInternalError}
	var answered apierrors.APIStatus
	if errors.As(err, &answered) {
		said := answered.Status()
		redacted.Code, redacted.Reason = said.Code, said.Reason
		if said.Details != nil {
			redacted.Details = &metav1.StatusDetails{RetryAfterSeconds: said.Details.RetryAfterSeconds}
		}
	}
	redacted.Message = redactedMessage(err)
	return &redacted
}

// unreadable is the message of an error without a status. It may be a decoder's, which quotes what it cannot read.
const unreadable = "the answer of the API server could not be read; " + omitted

// transportMessage words an error that is no answer of the API server, and quotes nothing but what is known to be no part of one.
func transportMessage(err error) string {
	var operation *net.OpError
	var request *url.Error
	if unsent, ok := errors.AsType[*UnsentError](err); ok {
		return unsent.Message
	}
	switch {
	case errors.As(err, &operation):
		return connectionMessage(err)
	case errors.As(err, &request) && !hasPlainCause(request.Err):
		return "the connection to the API server failed" // the client quotes the first bytes of what is no HTTP
	case errors.As(err, &request):
		return connectionMessage(err)
	case hasPlainCause(err):
		return connectionMessage(err)
	default:
		return unreadable
	}
}

// hasPlainCause reports whether the chain of errors ends in one that has words of its own only. Those around it are ours and
// the client's, which name what was asked for.
func hasPlainCause(err error) bool {
	for wrapped := err; wrapped != nil; wrapped = errors.Unwrap(wrapped) {
		err = wrapped
	}
	return slices.Contains([]error{context.DeadlineExceeded, context.Canceled, io.EOF, io.ErrUnexpectedEOF}, err)
}
