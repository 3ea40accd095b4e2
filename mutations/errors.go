package mutations

import (
	"fmt"
	"strings"
)

// InputError says that the input asks for what can be done with no source.
type InputError struct{ Message string }

func (e *InputError) Error() string { return e.Message }

func inputError(format string, arguments ...any) error {
	return &InputError{Message: fmt.Sprintf(format, arguments...)}
}

// MissingKeysError says that the source lacks keys that the input names.
type MissingKeysError struct {
	// Keys are the keys, sorted.
	Keys []string
}

func (e *MissingKeysError) Error() string {
	if len(e.Keys) == 1 {
		return "the source has no key " + e.Keys[0]
	}
	return "the source has no keys " + strings.Join(e.Keys, ", ")
}

// SourceError says that no copy can be made of this source as the input asks.
type SourceError struct{ Message string }

func (e *SourceError) Error() string { return e.Message }

func sourceError(format string, arguments ...any) error {
	return &SourceError{Message: fmt.Sprintf(format, arguments...)}
}
