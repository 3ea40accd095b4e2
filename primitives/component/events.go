package component

import (
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

// Reasons of the events about resources that are given up. Created and updated resources have the reasons
// Created<Type> and Updated<Type>.
const (
	EventReasonDeleted  = "ResourceDeleted"
	EventReasonOrphaned = "ResourceOrphaned"
)

const (
	actionCreate = "Create"
	actionUpdate = "Update"
	actionDelete = "Delete"
	actionOrphan = "Orphan"
)

type discardedEvents struct{}

var _ events.EventRecorder = discardedEvents{}

func (discardedEvents) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {
}

func (p *pass) recordApply(op concepts.ConvergingOperation, object client.Object) {
	action := actionCreate
	switch op {
	case concepts.ConvergingOperationCreated:
	case concepts.ConvergingOperationUpdated:
		action = actionUpdate
	default:
		return
	}
	p.rec.EventRecorder.Eventf(p.rec.Owner, object, corev1.EventTypeNormal,
		string(op)+typeName(object), action, "%s", fmt.Sprintf("%s %s '%s'", op, typeName(object), object.GetName()))
}

func (p *pass) recordGivenUp(object client.Object, reason, action, note string) {
	p.rec.EventRecorder.Eventf(p.rec.Owner, object, corev1.EventTypeNormal, reason, action, "%s", note)
}

// typeName is the name of the Go type, or the kind of an object that has none.
func typeName(object client.Object) string {
	if _, ok := object.(runtime.Unstructured); ok {
		return object.GetObjectKind().GroupVersionKind().Kind
	}
	return reflect.Indirect(reflect.ValueOf(object)).Type().Name()
}
