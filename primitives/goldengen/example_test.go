package goldengen_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/goldengen"
)

// The ConfigMap has one more entry since version 2.0.0, so five versions need two golden files.
func ExampleConfig() {
	matrix := goldengen.Config[string]{
		Dir:      "testdata/settings",
		Versions: []string{"1.8.0", "1.9.0", "2.0.0", "2.1.0", "2.2.0"},
		Fixtures: []goldengen.Fixture[string]{{
			Name:     "dark",
			Spec:     "dark",
			Requires: []goldengen.Expect{{Name: "json-logs"}},
			Forbids:  []goldengen.Expect{{Name: "json-logs", For: "1.9.0"}},
		}},
		Build: func(version, theme string) (goldengen.Unit, error) {
			_, from := feature.Split(version, "2.0.0")
			settings, err := configmap.NewBuilder(&corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: "shop"},
				Data:       map[string]string{"theme": theme},
			}).WithMutation(configmap.Mutation{
				Name:    "json-logs",
				Feature: from,
				Mutate: func(m *configmap.Mutator) error {
					m.SetEntry("logs", "json")
					return nil
				},
			}).Build()
			if err != nil {
				return nil, err
			}
			return goldengen.Resource(settings, scheme.Scheme), nil
		},
	}
	// In a test: goldengen.New(matrix).WithUpdate(*update).Run(t)
	firing := map[string][]string{}
	for _, version := range matrix.Versions {
		unit, err := matrix.Build(version, matrix.Fixtures[0].Spec)
		if err != nil {
			fmt.Println(err)
			return
		}
		firing[version], _ = unit.FiringSet()
	}
	for _, regime := range goldengen.ClassifyRegimes(matrix.Versions, firing) {
		fmt.Println(regime.Representative, regime.Versions, regime.Firing)
	}
	fmt.Println(goldengen.CheckGating(matrix.Fixtures[0], matrix.Versions, firing))
	fmt.Println(goldengen.New(matrix).AssertComplete(0))
	// Output:
	// 1.8.0 [1.8.0 1.9.0] []
	// 2.0.0 [2.0.0 2.1.0 2.2.0] [json-logs]
	// <nil>
	// 0
}
