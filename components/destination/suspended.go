package destination

// checkSuspended returns errWithdrawn if the rule is suspended by now. It is called right before each request that changes or deletes a
// copy, also between the requests of one write.
//
// Example: a copy is applied, and the API server answers that the object at its place has changed. While it is read, the rule is suspended.
func (s CopySet) checkSuspended() error {
	if s.Suspended != nil && s.Suspended() {
		return errWithdrawn
	}
	return nil
}
