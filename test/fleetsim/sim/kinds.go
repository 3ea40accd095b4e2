package sim

import (
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
)

// kind is one that is stored.
type kind struct {
	schema.GroupVersionResource

	kind, singular string
	shortNames     []string
	namespaced     bool
	// versioned reports whether an update has to name the version that it replaces, and upserts whether it creates what is not there.
	versioned, upserts bool
	fields             *managedfields.FieldManager
}

var (
	namespaces = newKind(corev1.SchemeGroupVersion, "Namespace", kind{shortNames: []string{"ns"}})
	configMaps = newKind(corev1.SchemeGroupVersion, "ConfigMap", kind{namespaced: true, shortNames: []string{"cm"}})
	secrets    = newKind(corev1.SchemeGroupVersion, "Secret", kind{namespaced: true})
	accounts   = newKind(corev1.SchemeGroupVersion, "ServiceAccount", kind{namespaced: true, shortNames: []string{"sa"}})
	leases     = newKind(coordinationv1.SchemeGroupVersion, "Lease", kind{namespaced: true, versioned: true, upserts: true})

	kinds = []*kind{configMaps, namespaces, secrets, accounts, leases}
)

// verbs are those of every kind.
var verbs = metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"}

// newKind returns the kind with the fields that follow from its name.
func newKind(version schema.GroupVersion, name string, k kind) *kind {
	k.kind = name
	k.GroupVersionResource, _ = meta.UnsafeGuessKindToResource(version.WithKind(name))
	k.singular = k.Resource[:len(k.Resource)-1]
	fields, err := managedfields.NewDefaultFieldManager(
		applyconfigurations.NewTypeConverter(scheme.Scheme), scheme.Scheme, defaulter{}, scheme.Scheme, version.WithKind(name), version, "", nil)
	if err != nil { // the kinds are those above
		panic(err)
	}
	k.fields = fields
	return &k
}

// defaulter is a runtime.ObjectDefaulter of kinds whose fields have no defaults.
type defaulter struct{}

// Default implements runtime.ObjectDefaulter.
func (defaulter) Default(runtime.Object) {}

func (k *kind) gvk() schema.GroupVersionKind { return k.GroupVersion().WithKind(k.kind) }

// newObject returns an object without content.
func (k *kind) newObject() (runtime.Object, error) {
	object, err := scheme.Scheme.New(k.gvk())
	if err != nil {
		return nil, err
	}
	object.GetObjectKind().SetGroupVersionKind(k.gvk())
	return object, nil
}

// kindOf returns the kind that is served as the resource; nil: there is none.
func kindOf(resource schema.GroupVersionResource) *kind {
	i := slices.IndexFunc(kinds, func(k *kind) bool { return k.GroupVersionResource == resource })
	if i < 0 {
		return nil
	}
	return kinds[i]
}
