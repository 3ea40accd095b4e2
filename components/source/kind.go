package source

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
)

// Kind is a namespaced kind of the API that can be copied.
type Kind struct {
	schema.GroupVersionKind
	// Resource is the plural under which the API server serves the kind.
	Resource string
	// Pinned reports whether the rule asked for this version. Else it is the preferred one that is served.
	Pinned bool
}

// GroupVersionResource returns the address of the kind.
func (k Kind) GroupVersionResource() schema.GroupVersionResource {
	return k.GroupVersion().WithResource(k.Resource)
}

// NameOf returns the kind, namespace and name of the source, as messages have them.
func (k Kind) NameOf(ref v1.SourceRef) string {
	if ref.IsRemote() {
		return k.nameOf(ref) + " in the cluster " + ref.Cluster
	}
	return k.nameOf(ref)
}

func (k Kind) nameOf(ref v1.SourceRef) string {
	if ref.Selector != nil && ref.Name == v1.SelectedName {
		return fmt.Sprintf("the %s objects in %s that this rule selects to merge them", k.Kind, ref.Namespace)
	}
	if ref.Selector != nil {
		return fmt.Sprintf("the %s objects in %s that source.selector matches", k.Kind, ref.Namespace)
	}
	return fmt.Sprintf("%s %s/%s", k.Kind, ref.Namespace, ref.Name)
}

// Found says that the source of this kind was found and may be copied.
func (k Kind) Found(ref v1.SourceRef) string {
	version := "preferred version "
	if k.Pinned {
		version = "pinned version "
	}
	return fmt.Sprintf("found %s in %s%s; it may be copied", k.NameOf(ref), version, k.GroupVersion())
}
