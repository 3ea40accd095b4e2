package golden_test

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/golden"
)

// A test calls AssertYAML, which fails it. The file has the theme light.
func ExampleCompareYAML() {
	settings, err := configmap.NewBuilder(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: "shop"},
		Data:       map[string]string{"theme": "dark"},
	}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	err = golden.CompareYAML("testdata/settings.yaml", settings, golden.WithScheme(scheme.Scheme))
	if mismatch, ok := errors.AsType[*golden.MismatchError](err); ok {
		fmt.Println(mismatch.Path)
		fmt.Print(mismatch.Diff)
	}
	// Output:
	// testdata/settings.yaml
	// --- expected
	// +++ actual
	// @@ -1,6 +1,6 @@
	//  apiVersion: v1
	//  data:
	// -  theme: light
	// +  theme: dark
	//  kind: ConfigMap
	//  metadata:
	//    name: settings
}
