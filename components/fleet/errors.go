package fleet

import (
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// UnreachableError says that a request was not sent, because the cluster cannot be reached. It proves nothing of what is there. So it does not
// wrap its cause, which may be the answer to a probe, such as a 404, and has not its text, by which client-go would send the request again.
type UnreachableError struct {
	// Cause is the error of the last request or probe. Its text may be long; apierr.Message bounds it.
	Cause error
}

func (e *UnreachableError) Error() string { return "the cluster cannot be reached" }

// IsUnreachable reports whether the request was not sent, because the cluster cannot be reached.
func IsUnreachable(err error) bool {
	_, unreachable := errors.AsType[*UnreachableError](err)
	return unreachable
}

// IsNotProbed reports whether the State of a gate is that of a new one: no probe has ended yet.
func IsNotProbed(cause error) bool { return errors.Is(cause, errNotProbed) }

// IdentityError says that a cluster is not the one that it was before, or that nothing shows which one it is.
type IdentityError struct {
	// Pinned is the identity that the cluster has to have; empty: none is known.
	Pinned types.UID
	// Found is the identity that it has; empty: it has no namespace kube-system.
	Found types.UID
}

func (e *IdentityError) Error() string {
	switch {
	case e.Found != "":
		return fmt.Sprintf("this is another cluster: the uid of its namespace kube-system is %s, and not %s", e.Found, e.Pinned)
	case e.Pinned != "":
		return fmt.Sprintf("this may be another cluster: it has no namespace kube-system, whose uid was %s", e.Pinned)
	default:
		return "nothing shows which cluster this is: it has no namespace kube-system"
	}
}

// resumeError is the error of a watch that could not be opened. It is taken for a 429, after which a reflector tries to resume the watch. After
// most other errors, it lists again. For the reasons of UnreachableError, it does not wrap its cause.
type resumeError struct{ cause error }

func (e *resumeError) Error() string { return "the watch could not be opened, and may be resumed" }

// Status implements apierrors.APIStatus.
func (e *resumeError) Status() metav1.Status {
	return metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusTooManyRequests, Reason: metav1.StatusReasonTooManyRequests, Message: e.Error(),
	}
}

// probeError is the error of a request of a probe that has no answer. It has client-go send the request once.
type probeError struct{}

func (probeError) Error() string { return "the cluster does not answer" }

// isAnswer reports whether the error of a probe is one that the API server has answered with, and that a new try in a second will not change.
func isAnswer(err error) bool {
	if _, changed := errors.AsType[*IdentityError](err); changed {
		return true
	}
	var answered apierrors.APIStatus
	return errors.As(err, &answered) && answered.Status().Code < http.StatusInternalServerError && !apierrors.IsTooManyRequests(err)
}
