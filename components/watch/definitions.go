package watch

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
)

// definitionsResource is where kinds that are not built in are defined.
var definitionsResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=list;watch

// Definitions calls the function with the API group of every CustomResourceDefinition that is created, changed or
// deleted, until the context ends. If events may have been missed, it calls it with "".
func Definitions(ctx context.Context, client metadata.Interface, changed func(group string)) {
	Open(ctx, "definitions of kinds", Tail(client.Resource(definitionsResource)), &definitions{changed: changed})
}

// definitions passes events on, and keeps nothing.
type definitions struct {
	changed func(group string)
	begun   bool // used by the reflector's goroutine only
}

var _ cache.ReflectorStore = (*definitions)(nil)

func (d *definitions) Add(object any) error    { return d.event(object) }
func (d *definitions) Update(object any) error { return d.event(object) }
func (d *definitions) Delete(object any) error { return d.event(object) }
func (d *definitions) Resync() error           { return nil }

// Replace is called when the watch begins, and when it had to begin anew.
func (d *definitions) Replace([]any, string) error {
	if d.begun {
		d.changed("")
	}
	d.begun = true
	return nil
}

// event reads the group from the name, which is <plural>.<group>.
func (d *definitions) event(object any) error {
	metadata, ok := object.(metav1.Object)
	if !ok {
		return fmt.Errorf("the watch on definitions of kinds sent a %T", object)
	}
	if _, group, found := strings.Cut(metadata.GetName(), "."); found {
		d.changed(group)
	}
	return nil
}
