package editors_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/editors"
)

// Mutators create editors; by hand, an editor changes what it is given at once.
func ExampleContainerEditor() {
	container := corev1.Container{Name: "web", Args: []string{"--level=info", "--verbose"}}
	e := editors.NewContainerEditor(&container)
	e.SetImage("registry.example.com/web:2")
	e.EnsureFlag("--level", "debug")
	e.RemoveArg("--verbose")
	e.EnsureEnvVar(corev1.EnvVar{Name: "THEME", Value: "dark"})
	fmt.Println(container.Image, container.Args, container.Env[0].Name)
	// Output: registry.example.com/web:2 [--level=debug] THEME
}
