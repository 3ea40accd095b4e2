package watch

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxAnnotation is how many bytes the value of an annotation of a namespace may have that the cache holds.
const maxAnnotation = 1024

// TrimNamespace drops from a namespace, before the cache holds it, what is no input of any rule: managed fields, what kubectl has applied, and
// long values of annotations.
func TrimNamespace(object any) (any, error) {
	namespace, ok := object.(metav1.Object)
	if !ok {
		return object, nil
	}
	namespace.SetManagedFields(nil)
	annotations := namespace.GetAnnotations()
	maps.DeleteFunc(annotations, func(key, value string) bool {
		return key == corev1.LastAppliedConfigAnnotation || len(value) > maxAnnotation
	})
	namespace.SetAnnotations(annotations)
	return object, nil
}
