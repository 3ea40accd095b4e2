package watch

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
)

// definitionsResource is the resource of CustomResourceDefinitions.
var definitionsResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=list;watch

// Definition is what an event says of a CustomResourceDefinition. The zero Definition stands for all: events may have been missed.
type Definition struct {
	schema.GroupResource
	// Terminating reports whether the definition is being deleted, and every object of the kind with it.
	Terminating bool
}

// Definitions calls the function with every CustomResourceDefinition that is created, changed or deleted, until the
// context ends.
func Definitions(ctx context.Context, client metadata.Interface, changed func(Definition)) {
	source, followed := FromNow(client.Resource(definitionsResource)), &definitions{changed: changed}
	list := source.List
	source.List = func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		listed, err := list(ctx, options)
		followed.missed = followed.missed || err != nil
		return listed, err
	}
	Open(ctx, "definitions of kinds", source, Store(followed))
}

// definitions passes events on, and keeps nothing.
type definitions struct {
	changed func(Definition)
	missed  bool // events, before the watch began; used by one goroutine of the reflector at a time
}

// Replace implements EventHandler. It is called when the watch begins, and when it had to begin anew. If it begins at once, nothing was
// missed.
func (d *definitions) Replace([]metav1.Object, string) {
	if d.missed {
		d.changed(Definition{})
	}
	d.missed = true
}

// Event implements EventHandler. The name of a CustomResourceDefinition is <plural>.<group>.
func (d *definitions) Event(definition metav1.Object, deleted bool) {
	d.changed(Definition{
		GroupResource: schema.ParseGroupResource(definition.GetName()),
		Terminating:   !deleted && definition.GetDeletionTimestamp() != nil,
	})
}
