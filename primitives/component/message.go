package component

import (
	"fmt"
	"unicode/utf8"
)

// maxMessage is the limit of the API server for the message of a condition, in characters. A longer one makes the whole
// status unwritable.
const maxMessage = 32768

// bounded returns the message, cut to the limit. One that was cut ends with its size.
func bounded(message string) string {
	if utf8.RuneCountInString(message) <= maxMessage {
		return message
	}
	marker := fmt.Sprintf("... (truncated, %d bytes)", len(message))
	return string([]rune(message)[:maxMessage-len(marker)]) + marker
}
