package watch

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// blocker is an object in the place of a rule's copy.
type blocker struct {
	// finding is what was found when the object was read; nil before that, and when it may not be so any more.
	finding error
	// object are the fingerprints of the object in the version: as it was read or, before that, as the last event had it.
	object  fingerprints
	version string
	// wanted reports whether the rule has asked for the blocker since Begin.
	wanted bool
}

// changed takes an event, and reports whether it undoes the finding. An event that is older than the read undoes nothing. Before
// there is a finding, found compares.
func (b *blocker) changed(version string, object fingerprints) bool {
	if !IsNewer(version, b.version) {
		return false
	}
	scope := scopeOf(b.finding)
	undone := b.finding != nil && object[scope] != b.object[scope]
	if undone {
		b.finding = nil
	}
	b.version, b.object = version, object
	return undone
}

// found takes what was found when the object was read, and reports whether that is so still: no event of a later change has come
// before the answer to the read.
func (b *blocker) found(object metav1.Object, finding error) bool {
	version, scope, as := object.GetResourceVersion(), scopeOf(finding), fingerprintsOf(object)
	if b.version != "" && b.object[scope] != as[scope] && IsNewer(b.version, version) {
		return false
	}
	b.finding, b.version, b.object = finding, version, as
	return true
}
