package oracle_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
)

// fixed is a cluster in which the copies are immutable. The one in the namespace one has other content than the rule wants, and the rule says so.
func fixed(t *testing.T) *cluster {
	t.Helper()
	c := healthy(t)
	c.foreign[place("home")].Object["immutable"] = true
	c.Objects[place("home")].Object["immutable"] = true
	c.at("one").Object["immutable"], c.at("two").Object["immutable"] = true, true
	set(c.at("one"), "old", "data", "size")
	c.rule.Status.NamespacesWritten, c.rule.Status.NamespacesFailed = new(int32(1)), new(int32(1))
	c.rule.Status.FailureReasons = []v1.ReasonCount{{Reason: v1.ReasonDestinationUpdateFailed, Count: 1}}
	c.rule.Status.Failures = []v1.NamespaceFailure{{Namespace: "one", Reason: v1.ReasonDestinationUpdateFailed}}
	conditions := c.rule.Status.Conditions
	for _, i := range []int{1, 2} {
		conditions[i].Status, conditions[i].Reason = metav1.ConditionFalse, v1.ReasonDestinationUpdateFailed
	}
	stalled := conditions[2]
	stalled.Type, stalled.Status = v1.ConditionStalled, metav1.ConditionTrue
	c.rule.Status.Conditions = append(c.rule.Status.Conditions, stalled)
	return c
}

func TestImmutableCopyKeepsItsContent(t *testing.T) {
	c := fixed(t)
	assert.Empty(t, c.problems())
	set(c.at("one"), "old", "metadata", "labels", "color")
	assert.Empty(t, c.problems(), "nothing of it can be written")
	delete(c.at("one").Object, "immutable")
	assert.Contains(t, c.problems(), "one/settings: the content is")
}

func TestImmutableCopyIsReplacedWithItsSource(t *testing.T) {
	c := fixed(t)
	set(c.at("one"), "another", "metadata", "annotations", v1.AnnotationSourceUID)
	assert.Contains(t, c.problems(), "one/settings: the content is")
}

func TestImmutableCopyIsRecreated(t *testing.T) {
	c := fixed(t)
	c.rule.Spec.Policy.OnImmutable = v1.ImmutableRecreate
	assert.Contains(t, c.problems(), "one/settings: the content is")
	c.rule.Status.Failures[0].Message = "it was created with the same content less than ten minutes ago, and is not recreated so soon"
	assert.Empty(t, c.problems())
}

func TestSomebodyElseMayMakeACopyImmutable(t *testing.T) {
	c := healthy(t)
	c.at("one").Object["immutable"] = true
	assert.Empty(t, c.problems())
	owned := metav1.NewFieldsV1(`{"f:immutable":{}}`)
	c.at("one").SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "ClusterProjection/rule", Operation: "Apply", FieldsV1: owned}})
	assert.Contains(t, c.problems(), "namespacesFailed is 0, not 1", "the operator has made it immutable, and cannot take that back")
}

func TestImmutableObjectIsNotAdopted(t *testing.T) {
	c := healthy(t)
	c.rule.Spec.Policy.OnConflict = v1.ConflictAdopt
	foreign := "{apiVersion: v1, kind: ConfigMap, immutable: true, metadata: {namespace: one, name: settings}, data: {other: a, size: $SIZE}}"
	c.foreign.Note(c.put(strings.ReplaceAll(foreign, "$SIZE", `"2"`)))
	assert.NotContains(t, c.problems(), "is not adopted")
	c.foreign.Note(c.put(strings.ReplaceAll(foreign, "$SIZE", `"1"`)))
	assert.Contains(t, c.problems(), "is not adopted")
}
