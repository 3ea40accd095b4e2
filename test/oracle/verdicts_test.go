package oracle_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

func TestVerdictsOfARule(t *testing.T) {
	c := healthy(t)
	assert.Equal(t, oracle.Verdicts{InSync: []oracle.Place{place("one"), place("two")}}, oracle.VerdictsOf(c.State, c.foreign, c.rule))

	delete(c.Objects, place("two"))
	c.foreign.Note(c.put("{apiVersion: v1, kind: ConfigMap, metadata: {namespace: two, name: settings}}"))
	verdicts := oracle.VerdictsOf(c.State, c.foreign, c.rule)
	assert.Equal(t, []oracle.Failure{{Place: place("two"), Reason: v1.ReasonDestinationConflict}}, verdicts.Failed)
	c.rule.Spec.Policy.OnConflict = v1.ConflictSkip
	verdicts = oracle.VerdictsOf(c.State, c.foreign, c.rule)
	assert.Equal(t, []oracle.Place{place("two")}, verdicts.Skipped)
	assert.Empty(t, verdicts.Failed)

	delete(c.foreign, place("home"))
	delete(c.Objects, place("home"))
	verdicts = oracle.VerdictsOf(c.State, c.foreign, c.rule)
	assert.Equal(t, oracle.Verdicts{None: [][]string{{v1.ReasonSourceDeleted, v1.ReasonSourceNotFound}}}, verdicts)
}

func TestVerdictsOfARuleThatSelectsItsSources(t *testing.T) {
	c := selecting(t)
	assert.Equal(t, []oracle.Place{place("one"), place("two")}, oracle.VerdictsOf(c.State, c.foreign, c.rule).InSync)
	c.foreign.Note(c.put(`{apiVersion: v1, kind: ConfigMap, metadata: {namespace: home, name: other, labels: {color: red}}}`))
	assert.Equal(t, [][]string{{v1.ReasonSourceNotProjectable}}, oracle.VerdictsOf(c.State, c.foreign, c.rule).None)
}

func TestCopyOfAnotherRuleIsNoSource(t *testing.T) {
	c := selecting(t)
	c.put(`{apiVersion: v1, kind: ConfigMap, metadata: {namespace: home, name: other, labels: {color: red},
annotations: {projection.sh/owned-by-cluster-projection: another}}}`)
	assert.Len(t, oracle.VerdictsOf(c.State, c.foreign, c.rule).None, 1)
	set(c.Objects[oracle.Place{Kind: place("home").Kind, Namespace: "home", Name: "other"}], "rule", "metadata", "annotations", v1.AnnotationOwnedByClusterProjection)
	assert.Empty(t, oracle.VerdictsOf(c.State, c.foreign, c.rule).None)
}

func TestOwnedObjectIsAtItsPlace(t *testing.T) {
	c := healthy(t)
	assert.True(t, c.Owns(c.rule, place("one")))
	assert.False(t, c.Owns(c.rule, place("home")))
	assert.False(t, c.Owns(c.rule, place("three")))
	set(c.at("one"), "three/settings", "metadata", "annotations", v1.AnnotationPlace)
	assert.False(t, c.Owns(c.rule, place("one")))
}

func TestSourceThatSaysNothingIsCopiedInPermissiveMode(t *testing.T) {
	for consent, copied := range map[string]bool{"true": true, "false": false, "maybe": true, "namespaces: group=red": true, "namespaces:": false} {
		c := healthy(t)
		c.Permissive = true
		c.permit(consent)
		assert.Equal(t, copied, len(oracle.VerdictsOf(c.State, c.foreign, c.rule).None) == 0, consent)
	}
}

func TestVerdictsOfASuspendedRule(t *testing.T) {
	c := healthy(t)
	c.rule.Spec.Suspend = true
	held := func() []oracle.Held { return oracle.VerdictsOf(c.State, c.foreign, c.rule).Held }
	assert.Equal(t, []oracle.Held{{Place: place("one"), Standing: oracle.Current}, {Place: place("two"), Standing: oracle.Current}}, held())
	set(c.at("one"), "green", "data", "color")
	delete(c.Objects, place("two"))
	assert.Equal(t, []oracle.Held{{Place: place("one"), Standing: oracle.Stale}, {Place: place("two"), Standing: oracle.Absent}}, held())

	c.foreign.Note(c.put("{apiVersion: v1, kind: ConfigMap, metadata: {namespace: two, name: settings}}"))
	assert.Equal(t, []oracle.Held{{Place: place("one"), Standing: oracle.Stale}}, held())
	c.rule.Spec.Policy.OnConflict = v1.ConflictAdopt
	assert.Equal(t, []oracle.Held{{Place: place("one"), Standing: oracle.Stale}, {Place: place("two"), Standing: oracle.Other}}, held())
}
