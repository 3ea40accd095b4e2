package deployment_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/selectors"
)

func baseline(containers ...string) *appsv1.Deployment {
	object := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}
	for _, name := range containers {
		object.Spec.Template.Spec.Containers = append(object.Spec.Template.Spec.Containers, corev1.Container{Name: name})
	}
	return object
}

func images(containers []corev1.Container) []string {
	found := []string{}
	for _, container := range containers {
		found = append(found, container.Name+"="+container.Image)
	}
	return found
}

// image returns an edit that appends to the image.
func image(word string) func(*editors.ContainerEditor) error {
	return func(e *editors.ContainerEditor) error { e.SetImage(e.Raw().Image + word); return nil }
}

func TestOrderOfCategories(t *testing.T) {
	var log []string
	says := func(word string) { log = append(log, word) }
	m := deployment.NewMutator(baseline("web"))
	all := selectors.AllContainers()
	recordings := []func(){
		func() { m.EditInitContainers(all, func(*editors.ContainerEditor) error { says("init"); return nil }) },
		func() { m.EnsureInitContainer(corev1.Container{Name: "init"}) },
		func() {
			m.EditContainers(all, func(e *editors.ContainerEditor) error { says(e.Raw().Name); return nil })
		},
		func() { m.EnsureContainer(corev1.Container{Name: "proxy"}) },
		func() { m.EditPodSpec(func(*editors.PodSpecEditor) error { says("pod"); return nil }) },
		func() {
			m.EditPodTemplateMetadata(func(*editors.ObjectMetaEditor) error { says("template"); return nil })
		},
		func() { m.EditDeploymentSpec(func(*editors.DeploymentSpecEditor) error { says("spec"); return nil }) },
		func() { m.EditObjectMetadata(func(*editors.ObjectMetaEditor) error { says("metadata"); return nil }) },
	}
	for _, record := range recordings {
		record()
	}
	require.NoError(t, m.Apply())
	assert.Equal(t, []string{"metadata", "spec", "template", "pod", "web", "proxy", "init"}, log)
}

func TestNilIsIgnored(t *testing.T) {
	object := baseline("web")
	m := deployment.NewMutator(object)
	m.EditDeploymentSpec(nil)
	m.EditPodSpec(nil)
	m.EditPodTemplateMetadata(nil)
	m.EditContainers(nil, image("x"))
	m.EditContainers(selectors.AllContainers(), nil)
	m.EditInitContainers(nil, nil)
	require.NoError(t, m.Apply())
	assert.Equal(t, baseline("web"), object)
}

func TestContainersThatThereAre(t *testing.T) {
	object := baseline("a", "b", "a")
	m := deployment.NewMutator(object)
	m.EnsureContainer(corev1.Container{Name: "b", Image: "1"})
	m.EnsureContainer(corev1.Container{Name: "c", Image: "2"})
	m.RemoveContainers([]string{"a", "absent"})
	m.EnsureContainer(corev1.Container{Name: "a", Image: "3"})
	m.EnsureInitContainer(corev1.Container{Name: "i"})
	m.EnsureInitContainer(corev1.Container{Name: "j"})
	m.RemoveInitContainer("i")
	require.NoError(t, m.Apply())
	assert.Equal(t, []string{"b=1", "a=3", "c=2"}, images(object.Spec.Template.Spec.Containers), "in the order recorded")
	assert.Equal(t, []string{"j="}, images(object.Spec.Template.Spec.InitContainers))

	m = deployment.NewMutator(object)
	m.RemoveInitContainers([]string{"j"})
	m.RemoveContainer("b")
	require.NoError(t, m.Apply())
	assert.Nil(t, object.Spec.Template.Spec.InitContainers)
}

func TestContainersAreSelectedAsTheyWere(t *testing.T) {
	object := baseline("web", "log")
	m := deployment.NewMutator(object)
	m.EditContainers(selectors.ContainerNamed("web"), func(e *editors.ContainerEditor) error { e.Raw().Name = "app"; return nil })
	m.EditContainers(selectors.ContainerNamed("web"), image("1"))
	m.EditContainers(selectors.ContainerNamed("app"), image("2"))
	m.EnsureContainer(corev1.Container{Name: "proxy"})
	m.EditContainers(selectors.ContainerNamed("proxy"), image("4"))
	m.EditContainers(func(index int, c *corev1.Container) bool {
		c.Name = "changed"
		return index == 1
	}, image("3"))
	m.NextFeature()
	m.EditContainers(selectors.ContainerNamed("app"), image("5"))
	m.EditContainers(selectors.ContainerNamed("changed"), image("6"))
	require.NoError(t, m.Apply())
	assert.Equal(t, []string{"app=15", "log=3", "proxy=4"}, images(object.Spec.Template.Spec.Containers))
}

func TestEditsOfOneContainerComeBeforeThoseOfTheNext(t *testing.T) {
	var log []string
	says := func(word string) func(*editors.ContainerEditor) error {
		return func(e *editors.ContainerEditor) error { log = append(log, e.Raw().Name+word); return nil }
	}
	m := deployment.NewMutator(baseline("a", "b"))
	m.EditContainers(selectors.AllContainers(), says("1"))
	m.EditContainers(selectors.AllContainers(), says("2"))
	require.NoError(t, m.Apply())
	assert.Equal(t, []string{"a1", "a2", "b1", "b2"}, log)
}

func TestErrorOfAContainerEndsApply(t *testing.T) {
	boom := errors.New("boom")
	object := baseline("a", "b")
	m := deployment.NewMutator(object)
	m.EditContainers(selectors.ContainerNamed("a"), func(*editors.ContainerEditor) error { return boom })
	m.EditContainers(selectors.AllContainers(), image("1"))
	m.NextFeature()
	m.EnsureReplicas(2)
	assert.Same(t, boom, m.Apply())
	assert.Equal(t, baseline("a", "b"), object)
}

func TestConvenienceReachesAllContainersButNoInitContainers(t *testing.T) {
	object := baseline("a", "b")
	object.Spec.Template.Spec.InitContainers = []corev1.Container{{Name: "i"}}
	for i := range object.Spec.Template.Spec.Containers {
		object.Spec.Template.Spec.Containers[i].Env = []corev1.EnvVar{{Name: "X"}, {Name: "Y"}, {Name: "Z"}}
		object.Spec.Template.Spec.Containers[i].Args = []string{"x", "y", "z"}
	}
	m := deployment.NewMutator(object)
	m.EnsureReplicas(3)
	m.EnsureContainerEnvVar(corev1.EnvVar{Name: "A", Value: "1"})
	m.RemoveContainerEnvVar("X")
	m.RemoveContainerEnvVars([]string{"Y", "Z"})
	m.EnsureContainerArg("a")
	m.RemoveContainerArg("x")
	m.RemoveContainerArgs([]string{"y", "z"})
	require.NoError(t, m.Apply())
	assert.Equal(t, int32(3), *object.Spec.Replicas)
	for _, container := range object.Spec.Template.Spec.Containers {
		assert.Equal(t, []corev1.EnvVar{{Name: "A", Value: "1"}}, container.Env)
		assert.Equal(t, []string{"a"}, container.Args)
	}
	assert.Equal(t, []corev1.Container{{Name: "i"}}, object.Spec.Template.Spec.InitContainers)
}

// TestRecordedValuesAreCopies changes what was recorded, before Apply and by the object after it.
func TestRecordedValuesAreCopies(t *testing.T) {
	sidecar := corev1.Container{Name: "proxy", Args: []string{"a"}, Env: []corev1.EnvVar{{Name: "A"}}}
	variable := corev1.EnvVar{Name: "B", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "a"}}}
	names := []string{"web"}
	object := baseline("web")
	m := deployment.NewMutator(object)
	m.EnsureContainer(sidecar)
	m.EnsureInitContainer(sidecar)
	m.EnsureContainerEnvVar(variable)
	m.RemoveContainers(names)
	m.EditContainers(selectors.AllContainers(), func(e *editors.ContainerEditor) error { e.Raw().Args[0] += "!"; return nil })
	sidecar.Args[0], sidecar.Env[0].Name, variable.ValueFrom.FieldRef.FieldPath, names[0] = "changed", "changed", "changed", "proxy"
	for range 2 {
		require.NoError(t, m.Apply())
		require.Len(t, object.Spec.Template.Spec.Containers, 1)
		container := object.Spec.Template.Spec.Containers[0]
		assert.Equal(t, []string{"a!"}, container.Args, "a second Apply inserts what was recorded")
		assert.Equal(t, "A", container.Env[0].Name)
		assert.Equal(t, "a", container.Env[1].ValueFrom.FieldRef.FieldPath)
		container.Env[1].ValueFrom.FieldRef.FieldPath = "of the object"
	}
	assert.Equal(t, "changed", sidecar.Args[0])
}

// TestSharedMutation lets reconciles apply one mutation at a time. The race detector finds what they share.
func TestSharedMutation(t *testing.T) {
	sidecar := corev1.Container{Name: "proxy", Env: []corev1.EnvVar{{Name: "A"}}}
	selector := map[string]string{"node": "fast"}
	shared := deployment.Mutation{Name: "shared", Mutate: func(m *deployment.Mutator) error {
		m.EnsureContainer(sidecar)
		m.EditPodSpec(func(e *editors.PodSpecEditor) error {
			e.SetAffinity(&corev1.Affinity{})
			for key, value := range selector {
				e.EnsureNodeSelector(key, value)
			}
			return nil
		})
		m.EnsureContainerEnvVar(corev1.EnvVar{Name: "A", Value: "1"})
		return nil
	}}
	var reconciles sync.WaitGroup
	for range 4 {
		reconciles.Go(func() {
			resource, err := deployment.NewBuilder(baseline("web")).WithMutation(shared).Build()
			if err != nil {
				t.Error(err)
				return
			}
			preview, err := resource.PreviewObject()
			if err != nil {
				t.Error(err)
				return
			}
			assert.Equal(t, "1", preview.Spec.Template.Spec.Containers[1].Env[0].Value)
		})
	}
	reconciles.Wait()
	assert.Empty(t, sidecar.Env[0].Value)
}
