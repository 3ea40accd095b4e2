package expressions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/interpreter"
)

// CompileError says that a text is no expression of the language.
type CompileError struct{ Message string }

func (e *CompileError) Error() string { return e.Message }

// maxIssues is how many mistakes of an expression are told.
const maxIssues = 3

func compileError(issues *cel.Issues) error {
	var messages []string
	for _, issue := range issues.Errors() {
		if len(messages) == maxIssues {
			messages = append(messages, "...")
			break
		}
		message := shortened(issue.Message) // types can be long
		if issue.Location.Line() > 0 {
			message = position(issue.Location) + ": " + message
		}
		messages = append(messages, message)
	}
	return &CompileError{Message: strings.Join(messages, "; ")}
}

func position(location common.Location) string {
	return fmt.Sprintf("line %d, column %d", location.Line(), location.Column()+1)
}

// Cause is why an expression gave no value. It quotes nothing.
type Cause string

// The causes.
const (
	NoSuchKey      Cause = "no such key"
	NoSuchOverload Cause = "no such overload"
	TooCostly      Cause = "costs too much"
	Overtime       Cause = "took too long"
	PutOff         Cause = "put off to the next reconcile"
	NotConvertible Cause = "cannot be converted"
	Failed         Cause = "failed"
)

// EvaluationError says that an expression gives no value for this source and this target.
type EvaluationError struct {
	Cause Cause
	// Position is the place in the expression; empty if it is not known.
	Position string
	// Detail is what the evaluation said. It may quote what the expression reads.
	Detail string
}

func (e *EvaluationError) Error() string {
	detail := e.Detail
	if detail == "" {
		detail = string(e.Cause)
	}
	return e.at(detail)
}

// Redacted returns the error without anything that the expression reads. The position can depend on that, too.
func (e *EvaluationError) Redacted() string { return string(e.Cause) }

func (e *EvaluationError) at(text string) string {
	if e.Position == "" {
		return text
	}
	return e.Position + ": " + text
}

// IsPutOff reports whether the error says that the expressions were not evaluated, since those of other targets took long.
func IsPutOff(err error) bool {
	failed, ok := errors.AsType[*EvaluationError](err)
	return ok && failed.Cause == PutOff
}

// notConvertible says that a result is no value of JSON, or too large.
func notConvertible(format string, arguments ...any) error {
	return &EvaluationError{Cause: NotConvertible, Detail: fmt.Sprintf(format, arguments...)}
}

// causeOf returns why an evaluation failed.
func causeOf(err error) Cause {
	var cancelled interpreter.EvalCancelledError
	text := err.Error()
	switch {
	case errors.As(err, &cancelled) && cancelled.Cause == interpreter.ContextCancelled:
		return Overtime
	case errors.As(err, &cancelled):
		return TooCostly
	case strings.Contains(text, "no such key"):
		return NoSuchKey
	case strings.Contains(text, "no such overload"):
		return NoSuchOverload
	case strings.Contains(text, "conversion"), strings.Contains(text, "convert"), strings.Contains(text, "strconv."), strings.Contains(text, "pars"),
		strings.Contains(text, "invalid UTF-8"):
		return NotConvertible
	default:
		return Failed
	}
}
