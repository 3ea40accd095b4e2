package hostile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

const secretSettings = `
apiVersion: v1
kind: Secret
metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
`

// TestRuleThatComesBackAsAnotherKindLeavesNoCopy takes the finalizer off a rule and deletes it, and creates one of the same name of
// another kind.
func TestRuleThatComesBackAsAnotherKindLeavesNoCopy(t *testing.T) {
	w := newWorld(t)
	source := w.Create(configMap)
	rule := w.Project("again", source)
	w.Ready(rule)
	former := w.becomes(source, fixture.Anything)
	w.Merge(rule, `{"metadata":{"finalizers":null}}`)
	w.Delete(rule)
	w.Gone(rule)

	second := w.Create(secretSettings)
	rule = w.Project("again", second)
	w.Ready(rule)
	w.becomes(second, fixture.Anything)
	w.Gone(former)
}

// TestRecordThatIsWipedLosesNoCopy takes a kind off the record of a rule that keeps a copy of it until its successor is written.
func TestRecordThatIsWipedLosesNoCopy(t *testing.T) {
	w := newWorld(t)
	source := w.Create(configMap)
	rule := w.project(source)
	w.Ready(rule)
	former := w.becomes(source, fixture.Anything)
	inTheWay := w.Create(`{apiVersion: v1, kind: Secret, metadata: {name: settings, namespace: $AWAY}}`)
	w.Create(secretSettings)
	w.Merge(rule, `{"spec":{"source":{"kind":"Secret"}}}`)
	w.says(rule, v1.ReasonDestinationConflict)

	w.Merge(rule, `{"metadata":{"annotations":{"`+v1.AnnotationWrittenKinds+`":"Secret"}}}`)
	w.says(rule, v1.ReasonDestinationConflict)
	assert.NotNil(t, w.read(source, w.Away, "settings"), "it stays until its successor is there")
	w.Delete(inTheWay)
	w.becomes(w.Object(secretSettings), func(o *unstructured.Unstructured) bool {
		return o.GetAnnotations()[v1.AnnotationOwnedByProjection] != ""
	})
	w.Ready(rule)
	w.Gone(former)
}
