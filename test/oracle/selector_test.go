package oracle_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// selecting returns a healthy cluster whose rule selects its one source.
func selecting(t *testing.T) *cluster {
	t.Helper()
	c := healthy(t)
	c.rule.Spec.Source.Name, c.rule.Spec.Source.Selector = "", &v1.SourceSelector{MatchLabels: map[string]string{"color": "red"}}
	c.rule.Status.Sources = new(int32(1))
	for _, namespace := range []string{"one", "two"} {
		set(c.at(namespace), "ConfigMap/home/settings", "metadata", "annotations", v1.AnnotationSource)
	}
	return c
}

func TestSelectedSources(t *testing.T) {
	c := selecting(t)
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
	c.rule.Status.Sources = new(int32(2))
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "sources is 2, not 1")
}

func TestCopyOfASelectedSourceThatIsSkipped(t *testing.T) {
	c := selecting(t)
	c.rule.Spec.Policy.OnConflict = v1.ConflictSkip
	c.foreign.Note(c.put("{apiVersion: v1, kind: ConfigMap, metadata: {namespace: two, name: settings}}"))
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "namespacesSkipped is 0, not 1")
	status := &c.rule.Status
	status.NamespacesTargeted, status.NamespacesWritten, status.NamespacesSkipped = new(int32(1)), new(int32(1)), new(int32(1))
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
	inSync, failed, skipped, held := oracle.Destinations(c.State, c.foreign, c.rule)
	assert.Equal(t, [4]int{1, 0, 1, 0}, [4]int{inSync, failed, skipped, held})
}

func TestRolloutOfSelectedSources(t *testing.T) {
	c := selecting(t)
	c.rule.Spec.Rollout = &v1.Rollout{}
	c.rule.Status.NamespacesHeld = new(int32(0))
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "the rollout is ")
	c.rule.Status.Rollout = &v1.RolloutStatus{Introduced: true}
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
	c.rule.Spec.Rollout = nil
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "that a rollout is said is true")
}

func TestNamesOfCopiesThatStayWhileOthersFail(t *testing.T) {
	c := selecting(t)
	for _, namespace := range []string{"one", "two"} {
		c.foreign.Note(c.put("{apiVersion: v1, kind: ConfigMap, metadata: {namespace: " + namespace + ", name: settings}}"))
	}
	const unknown = "destinationName is settings, not "
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), unknown)
	former := c.put("{apiVersion: v1, kind: Secret, metadata: {namespace: one, name: settings, annotations: {projection.sh/owned-by-cluster-projection: rule}}}")
	assert.NotContains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), unknown, "it may be that of %v", former)
}

func TestCopyThatWaitsForItsNewNameMayHaveTheNameOfAnotherSource(t *testing.T) {
	c := selecting(t)
	c.rule.Spec.Destination.NameExpression = oracle.NameOfSome
	c.foreign.Note(c.put("{apiVersion: v1, kind: ConfigMap, metadata: {namespace: home, name: b, labels: {color: red}}}"))
	c.foreign.Note(c.put("{apiVersion: v1, kind: ConfigMap, metadata: {namespace: one, name: a}}"))
	former := c.at("one").DeepCopy()
	former.SetName("b")
	c.Objects[oracle.PlaceOf(former)] = former
	assert.NotContains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "one/b is stale")
}
