package apierr

import "errors"

// IsUnsent reports whether the operator did not send the request.
func IsUnsent(err error) bool {
	_, unsent := errors.AsType[*UnsentError](err)
	return unsent
}

// UnsentError says why the operator did not send a request. Its text quotes no object.
type UnsentError struct {
	// Message says what is wrong.
	Message string
}

func (e *UnsentError) Error() string { return e.Message }
