package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/internal/lists"
	"projection.sh/operator/primitives/internal/record"
	"projection.sh/operator/primitives/selectors"
)

// containers records edits of a list of containers: first which containers there are, then what they are like.
type containers struct {
	presence record.Edits[*[]corev1.Container]
	edits    *record.Category[containerEdit]
}

type containerEdit struct {
	selects selectors.ContainerSelector
	edit    func(*editors.ContainerEditor) error
}

func newContainers(r *record.Recorder, list *[]corev1.Container) containers {
	return containers{
		presence: record.NewEdits(r, list),
		edits:    record.NewCategory(r, func(edits []containerEdit) error { return editContainers(*list, edits) }),
	}
}

// editContainers calls, for each container, the edits that are for it. Which are for it is told by what the containers
// were like before the first edit.
func editContainers(live []corev1.Container, edits []containerEdit) error {
	before := slices.Clone(live)
	for i := range before {
		live[i].DeepCopyInto(&before[i])
	}
	for i := range before {
		for _, edit := range edits {
			if !edit.selects(i, &before[i]) {
				continue
			}
			if err := edit.edit(editors.NewContainerEditor(&live[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c containers) edit(selects selectors.ContainerSelector, edit func(*editors.ContainerEditor) error) {
	if selects != nil && edit != nil {
		c.edits.Record(containerEdit{selects, edit})
	}
}

// ensure records a copy of the container. Each Apply inserts a copy of its own, which later edits change.
func (c containers) ensure(container corev1.Container) {
	recorded := container.DeepCopy()
	c.presence.RecordCall(func(list *[]corev1.Container) {
		lists.Ensure(list, *recorded.DeepCopy(), named(recorded.Name))
	})
}

func (c containers) remove(names ...string) {
	for _, name := range names {
		c.presence.RecordCall(func(list *[]corev1.Container) { lists.RemoveFirst(list, named(name)) })
	}
}

func named(name string) func(corev1.Container) bool {
	return func(container corev1.Container) bool { return container.Name == name }
}
