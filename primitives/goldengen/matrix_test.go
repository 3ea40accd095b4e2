package goldengen_test

import (
	"flag"
	"os"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/goldengen"
	"projection.sh/operator/primitives/selectors"
)

var update = flag.Bool("update", false, "write the golden files and the manifest")

// spec is what an author's custom resource would have.
type spec struct {
	Tracing bool `json:"tracing"`
}

// TestMatrix runs the matrix of the kit's own resources, as an author would. Started by scenario_test.go, it runs another.
func TestMatrix(t *testing.T) {
	generator().WithUpdate(*update).Run(t)
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(generator().AssertComplete(m.Run()))
}

func generator() *goldengen.Generator[spec] {
	if name := os.Getenv(scenarioVariable); name != "" {
		return scenarios[name](os.Getenv(dirVariable))
	}
	return goldengen.New(goldengen.Config[spec]{
		Dir:      "testdata/matrix",
		Versions: []string{"1.8.0", "1.9.0", "2.0.0", "2.1.0"},
		Exclude:  []string{"image"},
		Fixtures: []goldengen.Fixture[spec]{
			{
				Name:     "minimal",
				Requires: []goldengen.Expect{{Name: "json-logs", For: "2.0.0"}, {Name: "text-logs", For: "1.9.0"}},
				Forbids:  []goldengen.Expect{{Name: "tracing"}, {Name: "json-logs", For: "1.9.0"}},
			},
			{Name: "tracing", Spec: spec{Tracing: true}, Requires: []goldengen.Expect{{Name: "tracing", For: "1.8.0"}}},
		},
		Build: build,
	})
}

func build(version string, s spec) (goldengen.Unit, error) {
	settings, err := configmap.NewBuilder(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"},
		Data:       map[string]string{"theme": "dark"},
	}).Build()
	if err != nil {
		return nil, err
	}
	web, err := deployment.NewBuilder(baseline()).WithMutation(mutationsFor(version, s)...).Build()
	if err != nil {
		return nil, err
	}
	built, err := component.NewComponentBuilder().
		WithName("web").WithConditionType("WebReady").WithResource(settings).WithResource(web).Build()
	if err != nil {
		return nil, err
	}
	return goldengen.Component(built, scheme.Scheme), nil
}

func mutationsFor(version string, s spec) []deployment.Mutation {
	before, from := feature.Split(version, "2.0.0")
	edit := func(change func(*editors.ContainerEditor)) func(*deployment.Mutator) error {
		return func(m *deployment.Mutator) error {
			m.EditContainers(selectors.ContainerNamed("web"), func(e *editors.ContainerEditor) error {
				change(e)
				return nil
			})
			return nil
		}
	}
	return []deployment.Mutation{
		{Name: "image", Mutate: edit(func(e *editors.ContainerEditor) { e.SetImage("registry.example.com/web:" + version) })},
		{Name: "text-logs", Feature: before, Mutate: edit(func(e *editors.ContainerEditor) { e.EnsureFlag("--logs", "text") })},
		{Name: "json-logs", Feature: from, Mutate: edit(func(e *editors.ContainerEditor) { e.EnsureFlag("--logs", "json") })},
		{
			Name: "tracing", Feature: feature.NewBooleanGate(s.Tracing),
			Mutate: edit(func(e *editors.ContainerEditor) { e.EnsureEnvVar(corev1.EnvVar{Name: "TRACING", Value: "on"}) }),
		},
	}
}

func baseline() *appsv1.Deployment {
	labels := map[string]string{"app": "web"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web"}}},
			},
		},
	}
}
