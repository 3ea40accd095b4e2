package mutations_test

import (
	"fmt"

	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/mutations"
	"projection.sh/operator/primitives/unstructured/static"
)

// An operator of its own stamps its copies with its own keys.
func ExampleForDestination() {
	source := &uns.Unstructured{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       "Service",
		"metadata": map[string]any{
			"name": "web", "namespace": "shop", "uid": "4f1d", "resourceVersion": "42",
			"labels": map[string]any{"app": "web"},
		},
		"spec": map[string]any{
			"clusterIP": "10.0.0.7",
			"ports":     []any{map[string]any{"port": int64(80), "nodePort": int64(30080)}},
		},
	}}
	baseline := source.DeepCopy()
	baseline.SetNamespace("team")

	copied, err := static.NewBuilder(baseline).WithMutation(mutations.ForDestination(mutations.Input{
		Kind:    schema.GroupKind{Kind: "Service"},
		Overlay: mutations.Overlay{Labels: map[string]string{"tenant": "team"}},
		Stamp:   mutations.Stamp{AnnotationKey: "example.com/owner", AnnotationValue: "team/web"},
	})...).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	wanted, err := copied.PreviewObject()
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := yaml.Marshal(wanted.Object)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(text))
	// Output:
	// apiVersion: v1
	// kind: Service
	// metadata:
	//   annotations:
	//     example.com/owner: team/web
	//     projection.sh/content-hash: 0587b4dfd04467c4848378931507bcb6
	//   labels:
	//     app: web
	//     tenant: team
	//   name: web
	//   namespace: team
	// spec:
	//   ports:
	//   - port: 80
}
