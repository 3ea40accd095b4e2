// Package panics turns panics into errors, so that a bug affects one object and does not end the process.
package panics

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/go-logr/logr"
)

// Panic is a panic that was caught. It quotes no value of an object.
type Panic struct {
	// Cause is the message of a panic of the Go runtime, and the type of any other.
	Cause string
	Stack string
}

// Catch calls the function and returns its error. If the function panics, Catch returns the error of caught instead.
func Catch(do func() error, caught func(Panic) error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = caught(Panic{describe(cause), string(debug.Stack())})
		}
	}()
	return do()
}

// Log logs the panic as the error.
func (p Panic) Log(log logr.Logger, err error) {
	log.Error(err, "Panic", "cause", p.Cause, "stack", p.Stack)
}

func describe(cause any) string {
	if err, ok := cause.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", cause)
}
