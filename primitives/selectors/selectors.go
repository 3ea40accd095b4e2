// Package selectors decides which containers of a pod an edit is for.
package selectors

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// ContainerSelector reports whether an edit is for a container. It gets the position of the container and a copy of it,
// both as they were before the first edit of the same feature. To write to the copy does not change the container. Init
// containers have positions of their own.
//
// Example: one edit renames "web" to "app", a later one of the same feature is for ContainerNamed("web"): both reach the
// container.
type ContainerSelector func(index int, c *corev1.Container) bool

// AllContainers selects every container.
func AllContainers() ContainerSelector {
	return func(int, *corev1.Container) bool { return true }
}

// ContainerNamed selects the container of that name.
func ContainerNamed(name string) ContainerSelector { return ContainersNamed(name) }

// ContainersNamed selects the containers that have one of the names: none if no name is given.
func ContainersNamed(names ...string) ContainerSelector {
	names = slices.Clone(names)
	return func(_ int, c *corev1.Container) bool { return slices.Contains(names, c.Name) }
}

// ContainerNotNamed selects the containers of every other name.
func ContainerNotNamed(name string) ContainerSelector { return ContainersNotNamed(name) }

// ContainersNotNamed selects the containers that have none of the names: all if no name is given.
func ContainersNotNamed(names ...string) ContainerSelector {
	named := ContainersNamed(names...)
	return func(index int, c *corev1.Container) bool { return !named(index, c) }
}

// ContainerAtIndex selects the container at a position: none if there is no such position.
func ContainerAtIndex(index int) ContainerSelector {
	return func(i int, _ *corev1.Container) bool { return i == index }
}
