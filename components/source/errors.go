package source

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ErrNotFound says that the API server was asked, and that there is no such source.
var ErrNotFound = errors.New("the source does not exist")

// KindError says that the API server is known not to offer what the rule asks for. Waiting does not help, changing
// the rule or the API does.
type KindError struct {
	// Message says what is wrong.
	Message string
	// Copies says what becomes of the copies; empty: they are kept.
	Copies string
	// Advice says what to do.
	Advice string
	// NotServed reports whether no object of the kind can be read or watched: the kind is not served, or not in namespaces. Objects
	// of it may exist all the same; see Resolver.Existing.
	NotServed bool
	// clusterScoped reports whether the kind is served, and not in namespaces.
	clusterScoped bool
}

func (e *KindError) Error() string { return e.Message + "; " + e.Advice }

// DiscoveryError says that the API server could not be asked what it serves.
type DiscoveryError struct {
	// Message says what could not be asked for.
	Message string
	// Advice says what to do. It may be empty.
	Advice string
	// Cause is what the API server or the connection to it said.
	Cause error
}

func (e *DiscoveryError) Error() string { return fmt.Sprintf("%s: %v", e.Message, e.Cause) }

// Unwrap returns the cause.
func (e *DiscoveryError) Unwrap() error { return e.Cause }

// undiscovered says that the kinds of one version are not known.
func undiscovered(version schema.GroupVersion, cause error) error {
	return &DiscoveryError{Message: "API discovery failed for " + version.String(), Advice: "check kubectl get apiservices", Cause: cause}
}

// failedDiscovery says that nothing is known of what the API server serves.
func failedDiscovery(cause error) error {
	return &DiscoveryError{Message: "API discovery failed", Cause: cause}
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
