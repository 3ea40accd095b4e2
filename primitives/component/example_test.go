package component_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/unstructured/static"
)

// A component is built afresh in every reconcile. Preview shows what Reconcile would apply.
func ExampleNewComponentBuilder() {
	settings, err := static.NewBuilder(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata":   map[string]any{"name": "settings", "namespace": "shop"},
		"data":       map[string]any{"theme": "dark"},
	}}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	storefront, err := component.NewComponentBuilder().
		WithName("storefront").
		WithConditionType("StorefrontReady").
		WithPrerequisite(component.DependsOn("DatabaseReady")).
		WithResource(settings).
		Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	// In a controller:
	//
	//	err = storefront.Reconcile(ctx, rec)
	//	return errors.Join(err, component.FlushStatus(ctx, rec, []*component.Component{storefront}))
	objects, err := storefront.Preview()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, object := range objects {
		fmt.Println(object.GetObjectKind().GroupVersionKind().Kind, object.GetName())
	}
	// Output: ConfigMap settings
}
