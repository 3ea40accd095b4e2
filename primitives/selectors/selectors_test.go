package selectors_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/selectors"
)

// selected returns the names of the containers web, api and log that the selector selects.
func selected(selector selectors.ContainerSelector) []string {
	names := []string{}
	for i, name := range []string{"web", "api", "log"} {
		if selector(i, &corev1.Container{Name: name}) {
			names = append(names, name)
		}
	}
	return names
}

func TestSelectors(t *testing.T) {
	for name, test := range map[string]struct {
		selector selectors.ContainerSelector
		want     []string
	}{
		"all":                       {selectors.AllContainers(), []string{"web", "api", "log"}},
		"a name":                    {selectors.ContainerNamed("api"), []string{"api"}},
		"a name that is absent":     {selectors.ContainerNamed("proxy"), []string{}},
		"names":                     {selectors.ContainersNamed("log", "web", "proxy"), []string{"web", "log"}},
		"no names":                  {selectors.ContainersNamed(), []string{}},
		"not a name":                {selectors.ContainerNotNamed("api"), []string{"web", "log"}},
		"not these names":           {selectors.ContainersNotNamed("log", "web"), []string{"api"}},
		"not one of no names":       {selectors.ContainersNotNamed(), []string{"web", "api", "log"}},
		"a position":                {selectors.ContainerAtIndex(1), []string{"api"}},
		"a position that is absent": {selectors.ContainerAtIndex(3), []string{}},
		"a negative position":       {selectors.ContainerAtIndex(-1), []string{}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, selected(test.selector)) })
	}
}

func TestSelectorKeepsItsNames(t *testing.T) {
	names := []string{"web"}
	selector := selectors.ContainersNamed(names...)
	names[0] = "api"
	assert.Equal(t, []string{"web"}, selected(selector))
}

func ExampleContainersNamed() {
	selector := selectors.ContainersNamed("web", "api")
	fmt.Println(selector(0, &corev1.Container{Name: "web"}), selector(1, &corev1.Container{Name: "log"}))
	// Output: true false
}
