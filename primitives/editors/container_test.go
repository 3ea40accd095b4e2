package editors_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"projection.sh/operator/primitives/editors"
)

func editContainer(container corev1.Container, edit func(*editors.ContainerEditor)) corev1.Container {
	edit(editors.NewContainerEditor(&container))
	return container
}

func TestContainerEnv(t *testing.T) {
	env := func(pairs ...string) []corev1.EnvVar {
		var variables []corev1.EnvVar
		for i := 0; i < len(pairs); i += 2 {
			variables = append(variables, corev1.EnvVar{Name: pairs[i], Value: pairs[i+1]})
		}
		return variables
	}
	container := corev1.Container{Env: env("A", "1", "B", "2", "A", "3")}
	container = editContainer(container, func(e *editors.ContainerEditor) {
		e.EnsureEnvVar(corev1.EnvVar{Name: "A", Value: "4"})
		e.EnsureEnvVars(env("C", "5", "B", "6"))
		e.RemoveEnvVar("absent")
	})
	assert.Equal(t, env("A", "4", "B", "6", "A", "3", "C", "5"), container.Env, "the first of a name is replaced where it is")
	container = editContainer(container, func(e *editors.ContainerEditor) { e.RemoveEnvVar("A") })
	assert.Equal(t, env("B", "6", "C", "5"), container.Env, "all of a name go")
	container = editContainer(container, func(e *editors.ContainerEditor) { e.RemoveEnvVars([]string{"C", "B"}) })
	assert.Nil(t, container.Env)
}

func TestContainerEnvFrom(t *testing.T) {
	from := func(prefix, configMap, secret string) corev1.EnvFromSource {
		source := corev1.EnvFromSource{Prefix: prefix}
		if configMap != "" {
			source.ConfigMapRef = &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: configMap}}
		}
		if secret != "" {
			source.SecretRef = &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: secret}}
		}
		return source
	}
	optional := from("", "one", "")
	optional.ConfigMapRef.Optional = new(true)
	container := editContainer(corev1.Container{}, func(e *editors.ContainerEditor) {
		for _, source := range []corev1.EnvFromSource{
			from("", "one", ""), from("P_", "one", ""), from("", "", "one"), optional, from("", "", ""),
		} {
			e.EnsureEnvFrom(source)
		}
	})
	assert.Equal(t, []corev1.EnvFromSource{optional, from("P_", "one", ""), from("", "", "one"), from("", "", "")}, container.EnvFrom)
	container = editContainer(container, func(e *editors.ContainerEditor) {
		e.RemoveEnvFrom(from("", "one", ""))
		e.RemoveEnvFrom(from("P_", "two", ""))
	})
	assert.Equal(t, []corev1.EnvFromSource{from("P_", "one", ""), from("", "", "one"), from("", "", "")}, container.EnvFrom)
}

func TestContainerArgs(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		edit func(*editors.ContainerEditor)
		want []string
	}{
		"an argument that is there": {[]string{"a", "b"}, func(e *editors.ContainerEditor) { e.EnsureArg("a") }, []string{"a", "b"}},
		"arguments know no flags": {
			[]string{"--a=1"}, func(e *editors.ContainerEditor) { e.EnsureArgs([]string{"--a=2", "--a=2"}) }, []string{"--a=1", "--a=2"},
		},
		"all of a text go":    {[]string{"a", "b", "a"}, func(e *editors.ContainerEditor) { e.RemoveArg("a") }, []string{"b"}},
		"the last ones go":    {[]string{"a", "b"}, func(e *editors.ContainerEditor) { e.RemoveArgs([]string{"b", "a"}) }, nil},
		"arguments replaced":  {[]string{"a"}, func(e *editors.ContainerEditor) { e.SetArgs([]string{"b", "c"}) }, []string{"b", "c"}},
		"a new flag":          {[]string{"a"}, func(e *editors.ContainerEditor) { e.EnsureFlag("--l", "1") }, []string{"a", "--l=1"}},
		"a flag of no value":  {nil, func(e *editors.ContainerEditor) { e.EnsureFlag("--l", "") }, []string{"--l="}},
		"a flag replaced":     {[]string{"--l=1", "a"}, func(e *editors.ContainerEditor) { e.EnsureFlag("--l", "2") }, []string{"--l=2", "a"}},
		"a flag twice":        {[]string{"--l=1", "a", "--l=3", "b"}, func(e *editors.ContainerEditor) { e.EnsureFlag("--l", "2") }, []string{"--l=2", "a", "b"}},
		"a flag that is long": {[]string{"--log=1"}, func(e *editors.ContainerEditor) { e.EnsureFlag("--l", "2") }, []string{"--log=1", "--l=2"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, editContainer(corev1.Container{Args: test.args}, test.edit).Args)
		})
	}
}

func TestContainerPorts(t *testing.T) {
	web := corev1.ContainerPort{Name: "web", ContainerPort: 80}
	container := editContainer(corev1.Container{}, func(e *editors.ContainerEditor) {
		e.EnsurePort(web)
		e.EnsurePort(corev1.ContainerPort{Name: "web", ContainerPort: 8080})
		e.EnsurePort(corev1.ContainerPort{ContainerPort: 53, Protocol: corev1.ProtocolUDP})
		e.EnsurePort(corev1.ContainerPort{ContainerPort: 53})
		e.EnsurePort(corev1.ContainerPort{ContainerPort: 53, Protocol: corev1.ProtocolTCP, HostPort: 5})
		e.RemovePort("absent")
	})
	assert.Equal(t, []corev1.ContainerPort{
		{Name: "web", ContainerPort: 8080},
		{ContainerPort: 53, Protocol: corev1.ProtocolUDP},
		{ContainerPort: 53, Protocol: corev1.ProtocolTCP, HostPort: 5},
	}, container.Ports)
	container = editContainer(container, func(e *editors.ContainerEditor) {
		e.RemovePort("web")
		e.RemovePort("")
	})
	assert.Equal(t, []corev1.ContainerPort{{ContainerPort: 53, Protocol: corev1.ProtocolTCP, HostPort: 5}}, container.Ports)
}

func TestContainerVolumeMounts(t *testing.T) {
	container := editContainer(corev1.Container{}, func(e *editors.ContainerEditor) {
		e.EnsureVolumeMount(corev1.VolumeMount{Name: "a", MountPath: "/a"})
		e.EnsureVolumeMount(corev1.VolumeMount{Name: "a", MountPath: "/b"})
		e.EnsureVolumeMount(corev1.VolumeMount{Name: "c", MountPath: "/a"})
		e.RemoveVolumeMount("/b")
	})
	assert.Equal(t, []corev1.VolumeMount{{Name: "c", MountPath: "/a"}}, container.VolumeMounts)
}

func TestContainerSetters(t *testing.T) {
	one := resource.MustParse("1")
	probe := &corev1.Probe{PeriodSeconds: 1}
	want := corev1.Container{
		Image: "i", ImagePullPolicy: corev1.PullAlways, WorkingDir: "/w", Command: []string{"c"},
		Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{corev1.ResourceCPU: one}, Requests: corev1.ResourceList{corev1.ResourceMemory: one},
		},
		LivenessProbe: probe, ReadinessProbe: probe, StartupProbe: probe,
		Lifecycle: &corev1.Lifecycle{StopSignal: new(corev1.SIGHUP)}, SecurityContext: &corev1.SecurityContext{Privileged: new(true)},
	}
	container := editContainer(corev1.Container{}, func(e *editors.ContainerEditor) {
		e.SetImage("i")
		e.SetImagePullPolicy(corev1.PullAlways)
		e.SetWorkingDir("/w")
		e.SetCommand([]string{"c"})
		e.SetResourceLimit(corev1.ResourceCPU, one)
		e.SetResourceRequest(corev1.ResourceMemory, one)
		e.SetLivenessProbe(probe)
		e.SetReadinessProbe(probe)
		e.SetStartupProbe(probe)
		e.SetLifecycle(want.Lifecycle)
		e.SetSecurityContext(want.SecurityContext)
	})
	assert.Equal(t, want, container)

	claims := corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "gpu"}}}
	container = editContainer(container, func(e *editors.ContainerEditor) {
		e.SetResources(claims)
		e.SetLivenessProbe(nil)
		e.SetReadinessProbe(nil)
		e.SetStartupProbe(nil)
		e.SetLifecycle(nil)
		e.SetSecurityContext(nil)
	})
	assert.Equal(t, corev1.Container{
		Image: "i", ImagePullPolicy: corev1.PullAlways, WorkingDir: "/w", Command: []string{"c"}, Resources: claims,
	}, container)
}
