package source

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
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

// Message tells people what the rule's source was resolved to.
func (k Kind) Message() string {
	kind := k.Kind
	if k.Group != "" {
		kind = k.Group + "/" + k.Kind
	}
	if k.Pinned {
		return fmt.Sprintf("resolved %s to version %s as asked", kind, k.Version)
	}
	return fmt.Sprintf("resolved %s to preferred version %s", kind, k.Version)
}
