package oracle_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// reports has the rule say that about its copies, and that it needs somebody.
func (c *cluster) reports(reason, message string) {
	said := metav1.Condition{Status: metav1.ConditionFalse, Reason: reason, Message: message, ObservedGeneration: 3}
	conditions := slices.Clone(c.rule.Status.Conditions[:1])
	for _, each := range []string{v1.ConditionDestinationWritten, v1.ConditionReady} {
		said.Type = each
		conditions = append(conditions, said)
	}
	said.Type, said.Status = v1.ConditionStalled, metav1.ConditionTrue
	conditions = append(conditions, said)
	c.rule.Status.Conditions = conditions
}

func TestSuspendedRuleThatSelects(t *testing.T) {
	c := selecting(t)
	c.rule.Spec.Suspend = true
	delete(c.Objects, place("one"))
	assert.Contains(t, c.problems(), "that create 0 is between 1 and 1 is false")
	c.reports(v1.ReasonSuspended, "suspended: would create 1; 1 is in sync")
	assert.Empty(t, c.problems())
	inSync, failed, skipped, held := oracle.Destinations(c.State, c.foreign, c.rule)
	assert.Equal(t, [4]int{1, 0, 0, 1}, [4]int{inSync, failed, skipped, held})
	c.foreign.Note(c.put("{apiVersion: v1, kind: ConfigMap, metadata: {namespace: one, name: settings}}"))
	inSync, failed, _, held = oracle.Destinations(c.State, c.foreign, c.rule)
	assert.Equal(t, [3]int{1, 0, 1}, [3]int{inSync, failed, held}, "a suspended rule does not look for what is in the way")
	delete(c.foreign, place("one"))
	delete(c.Objects, place("one"))
	c.reports(v1.ReasonSuspended, "suspended: would create 1, delete 1; none is in sync")
	assert.Contains(t, c.problems(), "that delete 1 is between 0 and 0 is false")
	c.rule.Finalizers = nil
	assert.Contains(t, c.problems(), "the number of finalizers is 0, not 1")
}

// Copies of a source that is not selected any more are retained as long as its owner consents, or consented last.
func TestCopiesOfAFormerSourceAreRetained(t *testing.T) {
	former := func(t *testing.T, retain ...v1.RetainCause) *cluster {
		t.Helper()
		c := selecting(t)
		c.rule.Spec.Policy.Retain = retain
		c.rule.Spec.Source.Selector.MatchLabels["color"] = "blue"
		return c
	}
	assert.Contains(t, former(t, v1.RetainRuleDeleted).problems(), "one/settings is stale")
	assert.NotContains(t, former(t, v1.RetainSourceGone).problems(), "stale")

	c := former(t, v1.RetainSourceGone)
	set(c.foreign[place("home")], "false", "metadata", "annotations", v1.AnnotationProjectable)
	assert.Contains(t, c.problems(), "one/settings is stale", "its owner has opted out")

	c = former(t, v1.RetainSourceGone)
	delete(c.foreign, place("home"))
	delete(c.Objects, place("home"))
	assert.Contains(t, c.problems(), "one/settings is stale", "nobody knows of the consent")
	c.rule.Annotations[v1.AnnotationConsentingSource] = recordOf("ConfigMap/home/settings")
	assert.NotContains(t, c.problems(), "stale")
	c.Namespaces["one"].Labels["group"] = "blue"
	assert.Contains(t, c.problems(), "one/settings is stale", "nor is the namespace a target")
}
