package statefulset

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/lists"
	"projection.sh/operator/primitives/internal/pods"
	"projection.sh/operator/primitives/internal/record"
	"projection.sh/operator/primitives/internal/typed"
)

// Mutation is a named change of a StatefulSet.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a StatefulSet and carries them out with Apply: feature by feature, and within a feature in this order:
// the metadata, the spec, the metadata of the pod template, the pod spec, which containers there are, what they are like, the same two
// for init containers, and the templates of volume claims.
type Mutator struct {
	record.Mutator
	pods.TemplateMutator

	spec   record.Edits[*editors.StatefulSetSpecEditor]
	claims record.Edits[*[]corev1.PersistentVolumeClaim]
}

var (
	_ generic.FeatureMutator     = (*Mutator)(nil)
	_ primitives.WorkloadMutator = (*Mutator)(nil)
)

// newClaimEdits adds the category of volume claim templates. They are left alone if the object was read from the API server,
// which refuses to change them.
func newClaimEdits(r *record.Recorder, object *appsv1.StatefulSet) record.Edits[*[]corev1.PersistentVolumeClaim] {
	templates := &object.Spec.VolumeClaimTemplates
	if object.ResourceVersion != "" {
		templates = new([]corev1.PersistentVolumeClaim)
	}
	return record.NewEdits(r, templates)
}

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *appsv1.StatefulSet) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta)}
	m.spec = record.NewEdits(m.Recorder, editors.NewStatefulSetSpecEditor(&object.Spec))
	m.TemplateMutator = pods.NewTemplateMutator(m.Recorder, &object.Spec.Template)
	m.claims = newClaimEdits(m.Recorder, object)
	return m
}

// EditStatefulSetSpec records an edit of the spec. Nil is ignored.
func (m *Mutator) EditStatefulSetSpec(edit func(*editors.StatefulSetSpecEditor) error) {
	m.spec.Record(edit)
}

// EnsureReplicas sets how many pods there are.
func (m *Mutator) EnsureReplicas(replicas int32) {
	m.spec.RecordCall(func(e *editors.StatefulSetSpecEditor) { e.SetReplicas(replicas) })
}

// EnsureVolumeClaimTemplate records that there is such a template: in the place of the one that has its name, or else at the
// end. The API server refuses to change a template of a StatefulSet that exists.
func (m *Mutator) EnsureVolumeClaimTemplate(template corev1.PersistentVolumeClaim) {
	recorded := template.DeepCopy()
	m.claims.RecordCall(func(list *[]corev1.PersistentVolumeClaim) {
		lists.Ensure(list, *recorded.DeepCopy(), named(recorded.Name))
	})
}

// RemoveVolumeClaimTemplate records that every template of that name goes.
func (m *Mutator) RemoveVolumeClaimTemplate(name string) {
	m.claims.RecordCall(func(list *[]corev1.PersistentVolumeClaim) { lists.Remove(list, named(name)) })
}

func named(name string) func(corev1.PersistentVolumeClaim) bool {
	return func(claim corev1.PersistentVolumeClaim) bool { return claim.Name == name }
}

// LiftMutation turns a mutation that is written for all kinds with a pod template into one for StatefulSets.
func LiftMutation(m feature.Mutation[primitives.WorkloadMutator]) Mutation {
	return typed.Lift(m, func(m *Mutator) primitives.WorkloadMutator { return m })
}
