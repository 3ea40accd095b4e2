package apierr

import "errors"

// IsUnsent reports whether the operator did not send the request.
func IsUnsent(err error) bool {
	_, unsent := errors.AsType[*UnsentError](err)
	return unsent
}

// Advice returns what to do about a request that the operator did not send; empty if it has sent it.
func Advice(err error) string {
	if unsent, ok := errors.AsType[*UnsentError](err); ok {
		return unsent.Advice
	}
	return ""
}

// UnsentError says why the operator did not send a request. Its text quotes no object.
type UnsentError struct {
	// Message says what is wrong.
	Message string
	// Advice says what to do.
	Advice string
}

func (e *UnsentError) Error() string { return e.Message }
