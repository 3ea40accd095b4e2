package v1

// ConflictPolicy says what becomes of a copy if there is an object in its place that is not a copy of the rule.
//
// +kubebuilder:validation:Enum=Refuse;Skip;AdoptIdentical;Adopt
type ConflictPolicy string

// Policies for objects in the place of a copy. An object that is being deleted is waited for with each of them.
const (
	// ConflictRefuse leaves the object alone, and reports DestinationConflict.
	ConflictRefuse ConflictPolicy = "Refuse"
	// ConflictSkip leaves the object alone, and does without the copy.
	ConflictSkip ConflictPolicy = "Skip"
	// ConflictAdoptIdentical makes the object a copy if it says what the copy would say.
	ConflictAdoptIdentical ConflictPolicy = "AdoptIdentical"
	// ConflictAdopt makes the object a copy, whatever it says.
	ConflictAdopt ConflictPolicy = "Adopt"
)

// Adopts reports whether foreign objects become copies.
func (p ConflictPolicy) Adopts() bool { return p == ConflictAdoptIdentical || p == ConflictAdopt }
