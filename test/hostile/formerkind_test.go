package hostile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

const secretSettings = `
apiVersion: v1
kind: Secret
metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
`

// TestRuleThatComesBackAsAnotherKindLeavesNoCopy takes the finalizer off a rule and deletes it while no operator runs, and creates one of
// the same name of another kind. Another rule has the operator watch the former kind.
func TestRuleThatComesBackAsAnotherKindLeavesNoCopy(t *testing.T) {
	w := newWorld(t)
	operator := w.shard("blue")
	source := w.Create(configMap)
	rule := w.Project("again", source, w.inBlue)
	other := w.Project("other", source, w.inBlue, func(rule *v1.Projection) { rule.Spec.Destination.Name = "other" })
	w.Ready(rule)
	w.Ready(other)
	former := w.becomes(source, fixture.Anything)
	require.NoError(t, operator.Stop())
	w.Merge(rule, `{"metadata":{"finalizers":null}}`)
	w.Delete(rule)
	w.Gone(rule)
	second := w.Create(secretSettings)
	rule = w.Project("again", second, w.inBlue)

	w.shard("blue")
	w.Ready(rule)
	w.Merge(source, `{"data":{"color":"blue"}}`)
	w.Exists(source, w.Away, "other", color("blue")) // the former kind is watched
	w.Merge(second, `{"stringData":{"color":"blue"}}`)
	w.Gone(former)
	w.Ready(rule)
	w.Exists(source, w.Away, "other", color("blue"))
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
