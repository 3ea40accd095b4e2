package plan

import (
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// ErrNotRead says that the source was not read, since other reads have to end first.
var ErrNotRead = errors.New("the source waits to be read")

// Error ends a reconcile early. It says what the named condition reports. Copies stay as they are.
type Error struct {
	// Condition is a condition type of api/v1.
	Condition string
	policy.Problem
	// Err is the cause. It may be nil.
	Err error
	// Refused reports whether the API server has refused a read for which the operator would have no further use. The next try has the backoff of
	// writes that are refused.
	Refused bool
	// Retry asks for another try with backoff. Without it, the problem stands until an event enqueues the rule.
	Retry bool
	// RequeueAfter is when to look again although no event enqueues the rule; zero: never.
	RequeueAfter time.Duration
	// EndsDropped reports whether copies end nevertheless in namespaces that are not targets any more: what decides them is known.
	EndsDropped bool
	// Transient reports whether the problem is about to be solved without the owner of the rule: by the API server, or by the writer of a
	// source that is not complete yet.
	Transient bool
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Reason, e.Sentence()) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Failed is the error of a step that could not find something out, as the problem says. Advice and cause follow from the error unless the
// problem has them.
func Failed(condition string, problem policy.Problem, err error) *Error {
	if problem.Cause == "" {
		problem.Cause = apierr.Message(err)
	}
	switch {
	case problem.Advice != "":
	case apierr.IsWithheld(problem.Cause):
		problem.Advice = "the operator retries; if this stays, check the API server, and proxies in front of it"
	default:
		problem.Advice = "the operator retries"
	}
	return &Error{Condition: condition, Problem: problem, Err: err, Retry: true}
}

// Unreadable is the error of a rule whose source could not be read or watched.
func Unreadable(kind source.Kind, ref v1.SourceRef, err error) error {
	problem := policy.Problem{Reason: v1.ReasonSourceFetchFailed, Message: "the operator cannot read " + kind.NameOf(ref)}
	if apierrors.IsForbidden(err) {
		problem.Advice = "grant it get, list and watch on " + kind.GroupVersionResource().GroupResource().String()
	}
	return Failed(v1.ConditionSourceResolved, problem, err)
}

// unresolvedTargets is the error of a rule of which it is not known where its copies are to be.
func unresolvedTargets(err error) error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	problem := policy.Problem{Reason: v1.ReasonNamespaceResolutionFailed, Message: "the target namespaces are not known", Copies: policy.CopiesKept}
	return Failed(v1.ConditionDestinationWritten, problem, err)
}

// Retryable is the error of a step that could not find something out. The error is a sentence of ours, or what the API server said.
func Retryable(condition, reason string, err error) error {
	return &Error{Condition: condition, Problem: policy.Problem{Reason: reason, Message: apierr.Message(err)}, Err: err, Retry: true}
}

// unusableKind is the error of a rule whose kind of source cannot be copied.
func unusableKind(err *source.KindError, requeueAfter time.Duration, transient bool) error {
	return &Error{
		Condition: v1.ConditionSourceResolved,
		Problem: policy.Problem{
			Reason: v1.ReasonSourceResolutionFailed, Message: err.Message, Copies: err.Copies, Advice: err.Advice,
		},
		Err:          err,
		RequeueAfter: requeueAfter,
		Transient:    transient,
	}
}

// undiscovered is the error of a rule whose kind of source could not be looked up.
func undiscovered(err error) error {
	problem := policy.Problem{Reason: v1.ReasonSourceResolutionFailed, Message: "API discovery failed"}
	if discovery, ok := errors.AsType[*source.DiscoveryError](err); ok {
		problem.Message, problem.Advice = discovery.Message, discovery.Advice
		err = discovery.Cause
	}
	return Failed(v1.ConditionSourceResolved, problem, err)
}
