package primitives

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/selectors"
)

// WorkloadMutator is what the mutators of all kinds with a pod template have in common: a mutation that is written against
// it can be used for each of them, by LiftMutation of the kind's package.
type WorkloadMutator interface {
	PodTemplateMutator
	ContainerMutator
	InitContainerMutator
	ContainerEnvMutator
	ContainerArgMutator
}

// PodTemplateMutator records edits of an object and of its pod template.
type PodTemplateMutator interface {
	editors.ObjectMutator
	// EditPodTemplateMetadata records an edit of the metadata of the pods to be made.
	EditPodTemplateMetadata(edit func(*editors.ObjectMetaEditor) error)
	// EditPodSpec records an edit of the pod spec.
	EditPodSpec(edit func(*editors.PodSpecEditor) error)
}

// ContainerMutator records edits of containers.
type ContainerMutator interface {
	// EnsureContainer records that there is such a container, by name.
	EnsureContainer(container corev1.Container)
	// RemoveContainer records that the first container of that name goes.
	RemoveContainer(name string)
	// RemoveContainers is RemoveContainer for each, in order.
	RemoveContainers(names []string)
	// EditContainers records an edit of the containers that the selector selects.
	EditContainers(selector selectors.ContainerSelector, edit func(*editors.ContainerEditor) error)
}

// InitContainerMutator records edits of init containers.
type InitContainerMutator interface {
	// EnsureInitContainer records that there is such an init container, by name.
	EnsureInitContainer(container corev1.Container)
	// RemoveInitContainer records that the first init container of that name goes.
	RemoveInitContainer(name string)
	// RemoveInitContainers is RemoveInitContainer for each, in order.
	RemoveInitContainers(names []string)
	// EditInitContainers records an edit of the init containers that the selector selects.
	EditInitContainers(selector selectors.ContainerSelector, edit func(*editors.ContainerEditor) error)
}

// ContainerEnvMutator records environment variables of all containers, not of init containers.
type ContainerEnvMutator interface {
	// EnsureContainerEnvVar sets an environment variable.
	EnsureContainerEnvVar(variable corev1.EnvVar)
	// RemoveContainerEnvVar removes an environment variable.
	RemoveContainerEnvVar(name string)
	// RemoveContainerEnvVars removes environment variables.
	RemoveContainerEnvVars(names []string)
}

// ContainerArgMutator records arguments of all containers, not of init containers.
type ContainerArgMutator interface {
	// EnsureContainerArg appends an argument where it is missing.
	EnsureContainerArg(arg string)
	// RemoveContainerArg removes an argument.
	RemoveContainerArg(arg string)
	// RemoveContainerArgs removes arguments.
	RemoveContainerArgs(args []string)
}
