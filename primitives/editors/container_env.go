package editors

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/internal/lists"
)

// EnsureEnvVar sets an environment variable, by name.
func (e *ContainerEditor) EnsureEnvVar(variable corev1.EnvVar) {
	lists.Ensure(&e.raw.Env, *variable.DeepCopy(), envNamed(variable.Name))
}

// EnsureEnvVars is EnsureEnvVar for each, in order.
func (e *ContainerEditor) EnsureEnvVars(variables []corev1.EnvVar) {
	forEach(variables, e.EnsureEnvVar)
}

// RemoveEnvVar removes every environment variable of that name.
func (e *ContainerEditor) RemoveEnvVar(name string) { lists.Remove(&e.raw.Env, envNamed(name)) }

// RemoveEnvVars is RemoveEnvVar for each, in order.
func (e *ContainerEditor) RemoveEnvVars(names []string) { forEach(names, e.RemoveEnvVar) }

func envNamed(name string) func(corev1.EnvVar) bool {
	return func(variable corev1.EnvVar) bool { return variable.Name == name }
}

// EnsureEnvFrom takes environment variables from a ConfigMap or Secret, by that object's kind and name and by the prefix.
func (e *ContainerEditor) EnsureEnvFrom(source corev1.EnvFromSource) {
	lists.Ensure(&e.raw.EnvFrom, *source.DeepCopy(), envFromLike(source))
}

// RemoveEnvFrom removes every source of that kind, name and prefix.
func (e *ContainerEditor) RemoveEnvFrom(source corev1.EnvFromSource) {
	lists.Remove(&e.raw.EnvFrom, envFromLike(source))
}

func envFromLike(source corev1.EnvFromSource) func(corev1.EnvFromSource) bool {
	want := envFromIdentityOf(source)
	return func(other corev1.EnvFromSource) bool { return envFromIdentityOf(other) == want }
}

// envFromIdentity tells two sources of environment variables apart.
type envFromIdentity struct{ prefix, kind, name string }

func envFromIdentityOf(source corev1.EnvFromSource) envFromIdentity {
	switch {
	case source.ConfigMapRef != nil:
		return envFromIdentity{source.Prefix, "ConfigMap", source.ConfigMapRef.Name}
	case source.SecretRef != nil:
		return envFromIdentity{source.Prefix, "Secret", source.SecretRef.Name}
	default:
		return envFromIdentity{prefix: source.Prefix}
	}
}
