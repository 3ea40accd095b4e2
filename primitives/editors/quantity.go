package editors

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"projection.sh/operator/primitives/internal/lists"
)

func setQuantity(list *corev1.ResourceList, name corev1.ResourceName, quantity resource.Quantity) {
	lists.Set((*map[corev1.ResourceName]resource.Quantity)(list), name, quantity.DeepCopy())
}
