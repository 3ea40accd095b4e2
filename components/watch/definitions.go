package watch

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
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

// definitionsPage is how many CustomResourceDefinitions are listed at a time: kubectl apply leaves the whole definition in an annotation.
const definitionsPage = 100

// Definitions calls the function with every CustomResourceDefinition that is created or deleted, or changed so that the API server may
// serve other kinds, until the context ends. It begins with the definitions that are being deleted already. It calls began each time that the
// watch begins, or begins again because its connection has ended; began must not block.
func Definitions(ctx context.Context, client metadata.Interface, changed func(Definition), began func()) {
	followed := &definitions{changed: changed}
	objects := client.Resource(definitionsResource)
	source := Source{
		List: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
			listed, err := listDefinitions(ctx, objects)
			followed.missed = followed.missed || err != nil
			return listed, err
		},
		Watch: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			events, err := objects.Watch(ctx, options)
			if err == nil {
				began()
			}
			return events, err
		},
		listed: true,
	}
	Open(ctx, "CustomResourceDefinitions", source, Store(followed))
}

// listDefinitions lists all CustomResourceDefinitions by pages, and keeps neither their labels nor their annotations.
func listDefinitions(ctx context.Context, client metadata.Getter) (runtime.Object, error) {
	all := &metav1.PartialObjectMetadataList{}
	for next := ""; ; {
		page, err := client.List(ctx, metav1.ListOptions{Limit: definitionsPage, Continue: next})
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			page.Items[i].Annotations, page.Items[i].Labels = nil, nil
			all.Items = append(all.Items, page.Items[i])
		}
		all.ResourceVersion = page.ResourceVersion
		if next = page.Continue; next == "" {
			return all, nil
		}
	}
}

// definitions passes on what may change the kinds that the API server serves. Its methods are called by one goroutine at a time.
type definitions struct {
	changed func(Definition)
	known   map[string]uint64 // the fingerprint of each definition, by its name; nil before the first list
	missed  bool              // events, before the watch began
}

// Replace implements EventHandler. It is called when the watch begins, and when it had to begin anew. If it begins at once, nothing was
// missed.
func (d *definitions) Replace(listed []metav1.Object, _ string) {
	before := d.known
	d.known = make(map[string]uint64, len(listed))
	if before == nil && d.missed {
		d.changed(Definition{})
	}
	for _, definition := range listed {
		name, fingerprint := definition.GetName(), definitionFingerprint(definition)
		d.known[name] = fingerprint
		changed := definition.GetDeletionTimestamp() != nil
		if before != nil {
			known, found := before[name]
			changed = !found || known != fingerprint
		}
		if changed {
			d.changed(definitionOf(definition))
		}
		delete(before, name)
	}
	for name := range before {
		d.changed(Definition{GroupResource: schema.ParseGroupResource(name)})
	}
}

// Event implements EventHandler.
func (d *definitions) Event(definition metav1.Object, deleted bool) {
	name, fingerprint := definition.GetName(), definitionFingerprint(definition)
	known, found := d.known[name]
	switch {
	case deleted:
		delete(d.known, name)
		d.changed(Definition{GroupResource: schema.ParseGroupResource(name)})
	case !found || known != fingerprint:
		d.known[name] = fingerprint
		d.changed(definitionOf(definition))
	}
}

// definitionOf returns what an event says. The name of a CustomResourceDefinition is <plural>.<group>.
func definitionOf(definition metav1.Object) Definition {
	return Definition{
		GroupResource: schema.ParseGroupResource(definition.GetName()),
		Terminating:   definition.GetDeletionTimestamp() != nil,
	}
}
