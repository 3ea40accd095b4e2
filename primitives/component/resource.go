package component

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Resource is one Kubernetes object that a component manages or reads. What else it can do it shows by implementing
// interfaces of package concepts.
type Resource interface {
	// Object returns a copy of the desired object.
	Object() (client.Object, error)
	// Mutate changes current into the object to apply and keeps it: status, suspension and extraction speak about it.
	Mutate(current client.Object) error
	// Identity names the object uniquely within a component, by convention
	// <apiVersion>/<Kind>/<namespace>/<name>, without the namespace for cluster-scoped kinds.
	Identity() string
}

// OperatorCRD is the custom resource that owns components.
type OperatorCRD interface {
	client.Object
	// GetStatusConditions returns the conditions of the status, to be read and changed in place.
	GetStatusConditions() *[]metav1.Condition
	// GetKind returns the kind, which the API machinery does not keep in typed objects.
	GetKind() string
}

// registration is a resource of a component with its options.
type registration struct {
	resourceConfig
	resource Resource
	identity string
}

func isNil(value any) bool {
	reflected := reflect.ValueOf(value)
	switch reflected.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Interface, reflect.Chan:
		return reflected.IsNil()
	default:
		return false
	}
}
