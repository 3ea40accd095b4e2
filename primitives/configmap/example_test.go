package configmap_test

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/editors"
)

// The pods of a Deployment are to restart when a ConfigMap changes that they mount. The ConfigMap hands its hash on, the
// Deployment waits for it and notes it in its pod template.
func ExampleExtractInto() {
	hash := concepts.NewData[string]("config-hash")

	config := configmap.NewBuilder(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "config", Namespace: "shop"},
		Data:       map[string]string{"theme": "dark"},
	})
	configmap.ExtractInto(config, hash, configmap.DataHash)

	web := deployment.NewBuilder(&appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"},
	}).WithDataGuard(hash).WithMutation(deployment.Mutation{
		Name: "config-hash",
		Mutate: func(m *deployment.Mutator) error {
			value, _ := hash.Get() // a preview has none
			m.EditPodTemplateMetadata(func(e *editors.ObjectMetaEditor) error {
				e.EnsureAnnotation("shop.example.com/config-hash", value)
				return nil
			})
			return nil
		},
	})

	settings, err := config.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	pods, err := web.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	storefront, err := component.NewComponentBuilder().
		WithName("storefront").
		WithConditionType("StorefrontReady").
		WithResource(settings).
		WithResource(pods).
		Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, edge := range storefront.DataTopology() {
		fmt.Printf("%s: from %v to %v\n", edge.Data, edge.Producers, edge.Guarded)
	}
	// Output: config-hash: from [v1/ConfigMap/shop/config] to [apps/v1/Deployment/shop/web]
}
