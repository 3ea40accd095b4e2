package unstructured_test

import (
	"fmt"

	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/unstructured"
	"projection.sh/operator/primitives/unstructured/static"
)

// A field of a kind whose Go type is not imported, by its path.
func ExampleMutator() {
	monitor, err := static.NewBuilder(&uns.Unstructured{Object: map[string]any{
		"apiVersion": "monitoring.coreos.com/v1",
		"kind":       "ServiceMonitor",
		"metadata":   map[string]any{"name": "web", "namespace": "shop"},
	}}).WithMutation(unstructured.Mutation{
		Name: "job-label",
		Mutate: func(m *unstructured.Mutator) error {
			m.EditContent(func(e *editors.UnstructuredContentEditor) error {
				return e.SetNestedString("app", "spec", "jobLabel")
			})
			return nil
		},
	}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := monitor.PreviewObject()
	fmt.Println(monitor.Identity(), preview.Object["spec"], err)
	// Output: monitoring.coreos.com/v1/ServiceMonitor/shop/web map[jobLabel:app] <nil>
}
