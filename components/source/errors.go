package source

import (
	"errors"
	"fmt"
)

// ErrGone says that the API server was asked, and that there is no such source.
var ErrGone = errors.New("the source does not exist")

// RefusedError says that the API server is known not to offer what the rule asks for. Waiting does not help, changing
// the rule or the API does.
type RefusedError struct {
	// Sentence says what is wrong and what to do.
	Sentence string
	// Absent tells that no object of the kind can be read or watched: the kind is not served, or not in namespaces. Objects
	// of it may exist all the same; see Resolver.Existing.
	Absent bool
	// clusterScoped reports whether the kind is served, and not in namespaces.
	clusterScoped bool
}

func (e *RefusedError) Error() string { return e.Sentence }

func absent(format string, args ...any) error {
	return &RefusedError{Sentence: fmt.Sprintf(format, args...), Absent: true}
}

// IsAbsent tells whether the error says for certain that no namespaced object of the kind can be read or watched.
func IsAbsent(err error) bool {
	var refused *RefusedError
	return errors.As(err, &refused) && refused.Absent
}

// IsRefused tells whether the error is a verdict on the rule rather than a failure.
func IsRefused(err error) bool {
	var refused *RefusedError
	return errors.As(err, &refused)
}
