package fleet

import (
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// UnreachableError says that a request was not sent, because the cluster cannot be reached. It proves nothing of what is there.
type UnreachableError struct {
	// Cause is the error of the last request or probe.
	Cause error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("the cluster cannot be reached: %v", e.Cause)
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Cause }

// IsUnreachable reports whether the request was not sent, because the cluster cannot be reached.
func IsUnreachable(err error) bool {
	_, unreachable := errors.AsType[*UnreachableError](err)
	return unreachable
}

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
// most other errors, it lists again. Its text does not have that of the cause, by which client-go would take it for the end of a watch.
type resumeError struct{ cause error }

func (*resumeError) Error() string { return "the watch could not be opened, and may be resumed" }

func (e *resumeError) Unwrap() error { return e.cause }

// Status implements apierrors.APIStatus.
func (e *resumeError) Status() metav1.Status {
	return metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusTooManyRequests, Reason: metav1.StatusReasonTooManyRequests, Message: e.Error(),
	}
}

// isAnswer reports whether the error of a probe is one that the API server has answered with, and that a new try in a second will not change.
func isAnswer(err error) bool {
	if _, changed := errors.AsType[*IdentityError](err); changed {
		return true
	}
	var answered apierrors.APIStatus
	return errors.As(err, &answered) && answered.Status().Code < http.StatusInternalServerError && !apierrors.IsTooManyRequests(err)
}
