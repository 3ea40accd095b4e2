package editors

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"projection.sh/operator/primitives/internal/lists"
)

// ContainerEditor edits a container.
type ContainerEditor struct {
	wrapper[corev1.Container]
}

var _ RawEditor[corev1.Container] = (*ContainerEditor)(nil)

// NewContainerEditor returns an editor of container.
func NewContainerEditor(container *corev1.Container) *ContainerEditor {
	return &ContainerEditor{wrapper[corev1.Container]{container}}
}

// SetImage sets the image.
func (e *ContainerEditor) SetImage(image string) { e.raw.Image = image }

// SetImagePullPolicy sets when the image is pulled.
func (e *ContainerEditor) SetImagePullPolicy(policy corev1.PullPolicy) {
	e.raw.ImagePullPolicy = policy
}

// SetWorkingDir sets the directory in which the container starts.
func (e *ContainerEditor) SetWorkingDir(directory string) { e.raw.WorkingDir = directory }

// SetCommand replaces the command.
func (e *ContainerEditor) SetCommand(command []string) { e.raw.Command = slices.Clone(command) }

// SetArgs replaces all arguments.
func (e *ContainerEditor) SetArgs(args []string) { e.raw.Args = slices.Clone(args) }

// EnsureArg appends the argument unless the same text is there. It knows no flags: "--level=1" and "--level=2" both stay;
// see EnsureFlag.
func (e *ContainerEditor) EnsureArg(arg string) {
	lists.EnsureAbsent(&e.raw.Args, arg, lists.Equal(arg))
}

// EnsureArgs is EnsureArg for each, in order.
func (e *ContainerEditor) EnsureArgs(args []string) { forEach(args, e.EnsureArg) }

// RemoveArg removes every argument of that text.
func (e *ContainerEditor) RemoveArg(arg string) { lists.Remove(&e.raw.Args, lists.Equal(arg)) }

// RemoveArgs is RemoveArg for each, in order.
func (e *ContainerEditor) RemoveArgs(args []string) { forEach(args, e.RemoveArg) }

// EnsureFlag makes the argument name=value the only one that begins with name=. It takes the place of the first such
// argument, or is appended. A flag whose value is an argument of its own is not recognised.
//
// Example: EnsureFlag("--level", "2") turns --level=1 into --level=2.
func (e *ContainerEditor) EnsureFlag(name, value string) {
	flag := name + "=" + value
	sets := func(arg string) bool { return strings.HasPrefix(arg, name+"=") }
	lists.Ensure(&e.raw.Args, flag, sets)
	first := slices.IndexFunc(e.raw.Args, sets)
	rest := slices.DeleteFunc(e.raw.Args[first+1:], sets)
	e.raw.Args = e.raw.Args[:first+1+len(rest)]
}

// SetResourceLimit sets the limit of one resource.
func (e *ContainerEditor) SetResourceLimit(name corev1.ResourceName, quantity resource.Quantity) {
	setQuantity(&e.raw.Resources.Limits, name, quantity)
}

// SetResourceRequest sets the request of one resource.
func (e *ContainerEditor) SetResourceRequest(name corev1.ResourceName, quantity resource.Quantity) {
	setQuantity(&e.raw.Resources.Requests, name, quantity)
}

// SetResources replaces all limits, requests and claims.
func (e *ContainerEditor) SetResources(resources corev1.ResourceRequirements) {
	e.raw.Resources = *resources.DeepCopy()
}

// SetLivenessProbe sets the liveness probe.
func (e *ContainerEditor) SetLivenessProbe(probe *corev1.Probe) {
	e.raw.LivenessProbe = probe.DeepCopy()
}

// SetReadinessProbe sets the readiness probe.
func (e *ContainerEditor) SetReadinessProbe(probe *corev1.Probe) {
	e.raw.ReadinessProbe = probe.DeepCopy()
}

// SetStartupProbe sets the startup probe.
func (e *ContainerEditor) SetStartupProbe(probe *corev1.Probe) { e.raw.StartupProbe = probe.DeepCopy() }

// SetLifecycle sets the hooks of start and stop.
func (e *ContainerEditor) SetLifecycle(lifecycle *corev1.Lifecycle) {
	e.raw.Lifecycle = lifecycle.DeepCopy()
}

// SetSecurityContext sets the security context.
func (e *ContainerEditor) SetSecurityContext(context *corev1.SecurityContext) {
	e.raw.SecurityContext = context.DeepCopy()
}

func forEach[T any](values []T, do func(T)) {
	for _, value := range values {
		do(value)
	}
}
