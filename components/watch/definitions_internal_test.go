package watch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestDefinitionsThatServeTheSameAreNotReported(t *testing.T) {
	then := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	later := metav1.NewTime(then.Add(time.Second))
	widgets := schema.GroupResource{Group: "example.com", Resource: "widgets"}
	tests := map[string]struct {
		change func(*metav1.ObjectMeta)
		told   bool
	}{
		"nothing":    {func(*metav1.ObjectMeta) {}, false},
		"annotation": {func(o *metav1.ObjectMeta) { o.Annotations = map[string]string{"note": "x"} }, false},
		"label":      {func(o *metav1.ObjectMeta) { o.Labels = map[string]string{"note": "x"} }, false},
		"finalizer":  {func(o *metav1.ObjectMeta) { o.Finalizers = []string{"example.com/hold"} }, false},
		"who wrote metadata": {func(o *metav1.ObjectMeta) {
			o.ManagedFields = append(o.ManagedFields, metav1.ManagedFieldsEntry{Manager: "kubectl", Time: &later})
		}, false},
		"spec":        {func(o *metav1.ObjectMeta) { o.Generation = 2 }, true},
		"status":      {func(o *metav1.ObjectMeta) { o.ManagedFields[0].Time = &later }, true},
		"deletion":    {func(o *metav1.ObjectMeta) { o.DeletionTimestamp = &then }, true},
		"replacement": {func(o *metav1.ObjectMeta) { o.UID = "two" }, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var told []Definition
			d := &definitions{changed: func(definition Definition) { told = append(told, definition) }}
			object := &metav1.ObjectMeta{Name: "widgets.example.com", UID: "one", Generation: 1, ManagedFields: []metav1.ManagedFieldsEntry{
				{Manager: "kube-apiserver", Subresource: "status", Time: &then},
			}}
			d.Replace([]metav1.Object{object}, "1")
			assert.Empty(t, told, "it was there before")
			test.change(object)
			d.Event(object, false)
			d.Event(object, false)
			d.Replace([]metav1.Object{object}, "2")
			if test.told {
				assert.Equal(t, []Definition{{GroupResource: widgets, Terminating: object.DeletionTimestamp != nil}}, told)
			} else {
				assert.Empty(t, told)
			}
			told = nil
			d.Event(object, true)
			d.Replace(nil, "3")
			assert.Equal(t, []Definition{{GroupResource: widgets}}, told, "it is gone")
			d.Event(object, false)
			d.Replace(nil, "4")
			assert.Len(t, told, 3, "it came, and went unseen")
		})
	}
}

func TestDefinitionsThatAreBeingDeletedAtFirstAreReported(t *testing.T) {
	var told []Definition
	d := &definitions{changed: func(definition Definition) { told = append(told, definition) }}
	d.Replace([]metav1.Object{
		&metav1.ObjectMeta{Name: "widgets.example.com"},
		&metav1.ObjectMeta{Name: "gadgets.example.com", DeletionTimestamp: new(metav1.Now())},
	}, "1")
	assert.Equal(t, []Definition{{GroupResource: schema.GroupResource{Group: "example.com", Resource: "gadgets"}, Terminating: true}}, told)
}
