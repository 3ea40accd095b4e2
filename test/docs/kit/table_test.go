package kit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/concepts"
)

// operations are what a reconcile can have done to an object.
var operations = []concepts.ConvergingOperation{
	concepts.ConvergingOperationCreated, concepts.ConvergingOperationUpdated, concepts.ConvergingOperationNone,
}

// state is an object of a kind, and how it differs from those of the states before it.
type state[P any] struct {
	when   string
	object P
	// op is the only operation for which the row is, or "" for all.
	op concepts.ConvergingOperation
}

// said is a status and its reason, as a handler returned them.
type said struct{ status, reason string }

// handlers are the default handlers of a kind.
type handlers[P any] struct {
	status     func(concepts.ConvergingOperation, P) (said, error)
	grace      func(P) (concepts.GraceStatusWithReason, error)
	suspension func(P) (concepts.SuspensionStatusWithReason, error)
	deletes    func(P) bool
}

func alive[P any](handler func(concepts.ConvergingOperation, P) (concepts.AliveStatusWithReason, error)) func(concepts.ConvergingOperation, P) (said, error) {
	return func(op concepts.ConvergingOperation, object P) (said, error) {
		got, err := handler(op, object)
		return said{string(got.Status), got.Reason}, err
	}
}

func operational[P any](
	handler func(concepts.ConvergingOperation, P) (concepts.OperationalStatusWithReason, error),
) func(concepts.ConvergingOperation, P) (said, error) {
	return func(op concepts.ConvergingOperation, object P) (said, error) {
		got, err := handler(op, object)
		return said{string(got.Status), got.Reason}, err
	}
}

func task[P any](
	handler func(concepts.ConvergingOperation, P) (concepts.CompletionStatusWithReason, error),
) func(concepts.ConvergingOperation, P) (said, error) {
	return func(op concepts.ConvergingOperation, object P) (said, error) {
		got, err := handler(op, object)
		return said{string(got.Status), got.Reason}, err
	}
}

// section is what the page says of a kind.
func section[P any](t *testing.T, title string, h handlers[P], states, suspended []state[P]) string {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "## %s\n\n", title)
	text.WriteString("| when | status | by grace | reason |\n|---|---|---|---|\n")
	for _, s := range states {
		text.WriteString(row(t, h, s))
	}
	if h.suspension == nil {
		return text.String()
	}
	fate := "the object is kept"
	if h.deletes(suspended[0].object) {
		fate = "the object is deleted"
	}
	fmt.Fprintf(&text, "\nWhen it is suspended, %s.\n\n| when suspended | status | reason |\n|---|---|---|\n", fate)
	for _, s := range suspended {
		got, err := h.suspension(s.object)
		require.NoError(t, err)
		fmt.Fprintf(&text, "| %s | `%s` | `%s` |\n", s.when, got.Status, got.Reason)
	}
	return text.String()
}

// row is what the handlers return for an object.
func row[P any](t *testing.T, h handlers[P], s state[P]) string {
	t.Helper()
	var statuses, reasons []string
	for _, op := range operations {
		if s.op != "" && s.op != op {
			continue
		}
		got, err := h.status(op, s.object)
		require.NoError(t, err)
		statuses = append(statuses, "`"+got.status+"`")
		reasons = append(reasons, "`"+got.reason+"`")
	}
	if len(slices.Compact(slices.Clone(statuses))) == 1 {
		statuses = statuses[:1]
	}
	reasons = slices.Compact(reasons)
	require.Len(t, reasons, 1, "%s: the reason depends on the operation: a row for each", s.when)
	grace := ""
	if h.grace != nil {
		got, err := h.grace(s.object)
		require.NoError(t, err)
		grace = "`" + string(got.Status) + "`"
		if reason := "`" + got.Reason + "`"; reason != reasons[0] {
			reasons = append(reasons, "by grace "+reason)
		}
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", s.when, strings.Join(statuses, ", "), grace, strings.Join(reasons, "; "))
}

// with returns the object after the change.
func with[K any](object *K, change func(*K)) *K {
	change(object)
	return object
}
