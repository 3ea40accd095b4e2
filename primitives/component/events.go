package component

import (
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Reasons of the events about resources that are deleted or orphaned. Created and updated resources have the reasons
// Created<Type> and Updated<Type>.
const (
	EventReasonDeleted  = "ResourceDeleted"
	EventReasonOrphaned = "ResourceOrphaned"
)

// Actions of these events.
const (
	actionDelete = "Delete"
	actionOrphan = "Orphan"
)

func (p *pass) recordEvent(object client.Object, reason, action, note string) {
	if p.rec.EventRecorder != nil {
		p.rec.EventRecorder.Eventf(p.rec.Owner, object, corev1.EventTypeNormal, reason, action, "%s", note)
	}
}
