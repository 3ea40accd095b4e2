package v1

// RefusedObject is the type of a field that users of other tools expect, and that rules do not have. The API server refuses every value
// and says what to write instead. Such fields stay empty in Go.
//
// +kubebuilder:pruning:PreserveUnknownFields
type RefusedObject struct{}

// UnmarshalJSON accepts every value and keeps nothing of it.
func (*RefusedObject) UnmarshalJSON([]byte) error { return nil }
