package projector

import (
	"fmt"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// isCreateOnly reports whether copies that exist keep their content.
func (s *scope[O]) isCreateOnly() bool { return s.spec.Policy.Updates == v1.UpdateCreateOnly }

// asUpdated returns the copy as policy.updates has it.
func (m *memberScope[O]) asUpdated(desired destination.DesiredCopy) destination.DesiredCopy {
	if !m.scope.isCreateOnly() {
		return desired
	}
	if known := m.sets[0].Cache.Known(desired.At); m.scope.lacksConsent(&known) { // their owners do not consent to what is in it
		return desired
	}
	return desired.OnlyToExist(m.scope.spec.Policy.Retains(v1.RetainSourceGone))
}

// existing says of copies that keep their content that they exist, and how many of them have the content that the source had earlier.
func (m *memberScope[O]) existing() string {
	copies := len(m.outcomes)
	earlier := count(func(o destination.Outcome) bool { return o.Earlier }, m.outcomes)
	const because = ", because spec.policy.updates is CreateOnly"
	switch {
	case copies == 1 && earlier == 1:
		return "the copy keeps earlier content" + because
	case copies == 1:
		return "the copy exists"
	case earlier == 0:
		return fmt.Sprintf("all %d copies exist", copies)
	case earlier == 1:
		return fmt.Sprintf("all %d copies exist; 1 of them keeps earlier content", copies) + because
	default:
		return fmt.Sprintf("all %d copies exist; %d of them keep earlier content", copies, earlier) + because
	}
}
