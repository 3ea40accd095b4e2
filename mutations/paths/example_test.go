package paths_test

import (
	"fmt"

	"projection.sh/operator/mutations/paths"
)

// The image of one container is left out, and the other container stays as it is.
func ExampleRemove() {
	content := map[string]any{"spec": map[string]any{"containers": []any{
		map[string]any{"name": "web", "image": "web:1"},
		map[string]any{"name": "log", "image": "log:1"},
	}}}
	path, err := paths.Parse("spec.containers[name=web].image")
	if err != nil {
		fmt.Println(err)
		return
	}
	paths.Remove(content, []paths.Path{path})
	fmt.Println(content)
	// Output: map[spec:map[containers:[map[name:web] map[image:log:1 name:log]]]]
}
