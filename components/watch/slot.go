package watch

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
)

// slot is what is known of one source.
type slot struct {
	followers map[RuleKey]struct{}
	version   string             // resourceVersion of the last event, or of what was read after it
	content   contentFingerprint // of the source in that version; zero if the next event is to enqueue in any case
	lastEvent LastEvent
}

// LastEvent is the part of the last event of a source that decides whether the source is copied.
type LastEvent struct {
	// Known reports whether there was an event.
	Known bool
	// ResourceVersion is empty if there was no event since the watch had to begin anew.
	ResourceVersion string
	Deleted         bool
	// Annotations are those of the source by which its owner consents.
	Annotations map[string]string
	// Labels are those of the source, if a rule selects sources in its namespace.
	Labels map[string]string
}

// consentOf returns the annotations by which the owner of the object consents; nil if there are none.
func consentOf(object metav1.Object) (consent map[string]string) {
	for _, key := range []string{v1.AnnotationProjectable, v1.AnnotationExportable, v1.AnnotationPublicKeys} {
		value, found := object.GetAnnotations()[key]
		if found && consent == nil {
			consent = map[string]string{}
		}
		if found {
			consent[key] = value
		}
	}
	return consent
}

// changed takes an event, and returns the rules to enqueue: all, unless only the status has changed.
func (s *slot) changed(object metav1.Object, deleted bool) []notification {
	var notified []notification
	content := contentFingerprintOf(object)
	if deleted || !content.equals(s.content) {
		for rule := range s.followers {
			notified = append(notified, notification{rule, SourceChanged})
		}
	}
	s.version, s.content = object.GetResourceVersion(), content
	s.lastEvent = LastEvent{Known: true, ResourceVersion: s.version, Deleted: deleted, Annotations: consentOf(object)}
	if deleted {
		s.content = contentFingerprint{}
	}
	return notified
}

// isFollowedBy reports whether the object is a source of the rule.
func (s *slot) isFollowedBy(rule RuleKey) bool {
	_, follows := s.followers[rule]
	return follows
}
