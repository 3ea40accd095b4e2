package recording_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/recording"
)

// Components record this event for each resource. Code that applies an object by itself records the same with one call.
func ExampleRecordApplyOperationEvent() {
	recorder := events.NewFakeRecorder(1) // in a controller: mgr.GetEventRecorder("webapp")
	owner := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: "shop"}}

	recording.RecordApplyOperationEvent(recorder, concepts.ConvergingOperationCreated, settings, owner, "version", "2.1.0")

	fmt.Println(<-recorder.Events)
	// Output: Normal CreatedConfigMap Created ConfigMap 'settings' (version=2.1.0)
}
