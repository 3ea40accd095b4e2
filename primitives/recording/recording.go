// Package recording writes events about what was done to the resources of an owner.
package recording

import (
	"fmt"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

// Actions of the events.
const (
	actionCreate = "Create"
	actionUpdate = "Update"
)

// RecordApplyOperationEvent writes an event about the object, regarding the owner, if the operation created or updated it.
// The reason is Created<Type> or Updated<Type>, and the note Created <Type> '<name>'. Type is the name of the Go type, or
// the kind of an object that has none. Pairs of keys and values, if any, follow the note as (key=value, key=value); a last
// key without a value has an empty one. A nil recorder is ignored.
func RecordApplyOperationEvent(
	recorder events.EventRecorder,
	op concepts.ConvergingOperation,
	object client.Object,
	owner runtime.Object,
	messageKeyValuePairs ...string,
) {
	if recorder == nil {
		return
	}
	action := actionCreate
	switch op {
	case concepts.ConvergingOperationCreated:
	case concepts.ConvergingOperationUpdated:
		action = actionUpdate
	default:
		return
	}
	name := typeName(object)
	note := fmt.Sprintf("%s %s '%s'%s", op, name, object.GetName(), inParentheses(messageKeyValuePairs))
	recorder.Eventf(owner, object, corev1.EventTypeNormal, string(op)+name, action, "%s", note)
}

func inParentheses(pairs []string) string {
	if len(pairs) == 0 {
		return ""
	}
	var written []string
	for len(pairs) > 1 {
		written = append(written, pairs[0]+"="+pairs[1])
		pairs = pairs[2:]
	}
	if len(pairs) == 1 {
		written = append(written, pairs[0]+"=")
	}
	return " (" + strings.Join(written, ", ") + ")"
}

// typeName is the name of the Go type, or the kind of an object that has none.
func typeName(object client.Object) string {
	if _, ok := object.(runtime.Unstructured); ok {
		return object.GetObjectKind().GroupVersionKind().Kind
	}
	return reflect.Indirect(reflect.ValueOf(object)).Type().Name()
}
