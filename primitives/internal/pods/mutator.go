// Package pods records edits of pods and pod templates.
package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/internal/record"
	"projection.sh/operator/primitives/selectors"
)

// PodMutator is what the mutators of all kinds with containers have in common.
type PodMutator struct {
	spec       record.Edits[*editors.PodSpecEditor]
	containers containers
	init       containers
}

// NewPodMutator adds five categories to the recorder: the pod spec, which containers there are, what they are like, and the
// same two for init containers.
func NewPodMutator(r *record.Recorder, spec *corev1.PodSpec) PodMutator {
	return PodMutator{
		spec:       record.NewEdits(r, editors.NewPodSpecEditor(spec)),
		containers: newContainers(r, &spec.Containers),
		init:       newContainers(r, &spec.InitContainers),
	}
}

// EditPodSpec records an edit of the pod spec. Nil is ignored.
func (m PodMutator) EditPodSpec(edit func(*editors.PodSpecEditor) error) { m.spec.Record(edit) }

// EnsureContainer records that there is such a container: in the place of the one that has its name, or else at the end.
func (m PodMutator) EnsureContainer(container corev1.Container) { m.containers.ensure(container) }

// RemoveContainer records that the first container of that name goes.
func (m PodMutator) RemoveContainer(name string) { m.containers.remove(name) }

// RemoveContainers is RemoveContainer for each, in order.
func (m PodMutator) RemoveContainers(names []string) { m.containers.remove(names...) }

// EditContainers records an edit of the containers that the selector selects. They are selected as they are once the
// containers of the same feature are there, and before the first edit of a container. A nil selector or edit is ignored.
func (m PodMutator) EditContainers(selector selectors.ContainerSelector, edit func(*editors.ContainerEditor) error) {
	m.containers.edit(selector, edit)
}

// EnsureInitContainer is EnsureContainer for init containers.
func (m PodMutator) EnsureInitContainer(container corev1.Container) { m.init.ensure(container) }

// RemoveInitContainer is RemoveContainer for init containers.
func (m PodMutator) RemoveInitContainer(name string) { m.init.remove(name) }

// RemoveInitContainers is RemoveContainers for init containers.
func (m PodMutator) RemoveInitContainers(names []string) { m.init.remove(names...) }

// EditInitContainers is EditContainers for init containers.
func (m PodMutator) EditInitContainers(selector selectors.ContainerSelector, edit func(*editors.ContainerEditor) error) {
	m.init.edit(selector, edit)
}

// EnsureContainerEnvVar sets an environment variable of all containers, not of init containers.
func (m PodMutator) EnsureContainerEnvVar(variable corev1.EnvVar) {
	recorded := variable.DeepCopy()
	m.editAll(func(e *editors.ContainerEditor) { e.EnsureEnvVar(*recorded) })
}

// RemoveContainerEnvVar removes an environment variable of all containers, not of init containers.
func (m PodMutator) RemoveContainerEnvVar(name string) {
	m.editAll(func(e *editors.ContainerEditor) { e.RemoveEnvVar(name) })
}

// RemoveContainerEnvVars removes environment variables of all containers, not of init containers.
func (m PodMutator) RemoveContainerEnvVars(names []string) {
	names = slices.Clone(names)
	m.editAll(func(e *editors.ContainerEditor) { e.RemoveEnvVars(names) })
}

// EnsureContainerArg appends an argument to those of all containers that lack it, not of init containers.
func (m PodMutator) EnsureContainerArg(arg string) {
	m.editAll(func(e *editors.ContainerEditor) { e.EnsureArg(arg) })
}

// RemoveContainerArg removes an argument of all containers, not of init containers.
func (m PodMutator) RemoveContainerArg(arg string) {
	m.editAll(func(e *editors.ContainerEditor) { e.RemoveArg(arg) })
}

// RemoveContainerArgs removes arguments of all containers, not of init containers.
func (m PodMutator) RemoveContainerArgs(args []string) {
	args = slices.Clone(args)
	m.editAll(func(e *editors.ContainerEditor) { e.RemoveArgs(args) })
}

func (m PodMutator) editAll(edit func(*editors.ContainerEditor)) {
	m.containers.edit(selectors.AllContainers(), func(e *editors.ContainerEditor) error {
		edit(e)
		return nil
	})
}
