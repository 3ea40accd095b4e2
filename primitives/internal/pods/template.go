package pods

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/internal/record"
)

// TemplateMutator is what the mutators of all kinds with a pod template have in common.
type TemplateMutator struct {
	PodMutator

	metadata record.Edits[*editors.ObjectMetaEditor]
}

// NewTemplateMutator adds six categories to the recorder: the metadata of the template, and those of its pods.
func NewTemplateMutator(r *record.Recorder, template *corev1.PodTemplateSpec) TemplateMutator {
	return TemplateMutator{ // in this order
		metadata:   record.NewEdits(r, editors.NewObjectMetaEditor(&template.ObjectMeta)),
		PodMutator: NewPodMutator(r, &template.Spec),
	}
}

// EditPodTemplateMetadata records an edit of the metadata of the pods to be made. Nil is ignored.
func (m TemplateMutator) EditPodTemplateMetadata(edit func(*editors.ObjectMetaEditor) error) {
	m.metadata.Record(edit)
}
