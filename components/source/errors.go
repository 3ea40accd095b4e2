package source

import (
	"errors"
	"fmt"
)

// ErrNotFound says that the API server was asked, and that there is no such source.
var ErrNotFound = errors.New("the source does not exist")

// KindError says that the API server is known not to offer what the rule asks for. Waiting does not help, changing
// the rule or the API does.
type KindError struct {
	// Message says what is wrong and what to do.
	Message string
	// NotServed reports whether no object of the kind can be read or watched: the kind is not served, or not in namespaces. Objects
	// of it may exist all the same; see Resolver.Existing.
	NotServed bool
	// clusterScoped reports whether the kind is served, and not in namespaces.
	clusterScoped bool
}

func (e *KindError) Error() string { return e.Message }

func newNotServed(format string, args ...any) error {
	return &KindError{Message: fmt.Sprintf(format, args...), NotServed: true}
}

// IsNotServed reports whether the error says for certain that no namespaced object of the kind can be read or watched.
func IsNotServed(err error) bool {
	var refused *KindError
	return errors.As(err, &refused) && refused.NotServed
}

// IsKindError reports whether the error is about the rule, and not a failed request.
func IsKindError(err error) bool {
	var refused *KindError
	return errors.As(err, &refused)
}
