package projector

import (
	"fmt"

	"projection.sh/operator/components/destination"
)

// isSkipped reports whether the rule does without the copy, since a foreign object is in its place.
func isSkipped(outcome destination.Outcome) bool { return outcome.Skipped }

// withSkipped adds to what is said of so many copies that the rule does without others.
func (m *memberScope[O]) withSkipped(copies int, message string) string {
	const because = " in its place, and policy.onConflict is Skip"
	switch skipped := len(m.outcomes) - copies; {
	case skipped == 0:
		return message
	case len(m.outcomes) == 1:
		return "there is no copy, because another object is" + because
	case copies == 0:
		return fmt.Sprintf("there are no copies: for each of %d, another object is", skipped) + because
	case skipped == 1:
		return message + "; 1 more is skipped, because another object is" + because
	default:
		return fmt.Sprintf("%s; %d more are skipped: for each, another object is", message, skipped) + because
	}
}
