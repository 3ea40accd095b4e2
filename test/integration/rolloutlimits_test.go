package integration_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// TestCopiesThatReplaceOthersWait renames the copies of a rule whose second wave waits.
func TestCopiesThatReplaceOthersWait(t *testing.T) {
	tests := map[string]struct{ patch, kind, name string }{
		"another name": {`{"spec":{"destination":{"name":"renamed"}}}`, "ConfigMap", "renamed"},
		"another kind": {`{"spec":{"destination":{"kind":"Secret"}}}`, "Secret", "settings"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := introduced(t)
			s.Merge(s.rule, test.patch)
			s.waits()
			s.Exists(ofKind(test.kind), s.canary, test.name, fixture.Anything)
			s.gone(s.source, s.canary, "settings")
			s.settles()
			assert.Equal(t, []string{"", "red", "red"}, s.colors(), "copies stay until others replace them")
			for _, namespace := range s.others {
				_, err := s.Get(ofKind(test.kind), namespace, test.name)
				assert.True(t, apierrors.IsNotFound(err))
			}
			s.Merge(s.rule, passes)
			s.counts(s.rule, 3, 0)
			for _, namespace := range s.others {
				s.Exists(ofKind(test.kind), namespace, test.name, fixture.Anything)
				s.gone(s.source, namespace, "settings")
			}
		})
	}
}

// TestSuspendedRollout suspends a rule whose second wave waits.
func TestSuspendedRollout(t *testing.T) {
	s := introduced(t)
	s.paint("blue")
	s.waits()
	s.Merge(s.rule, `{"spec":{"suspend":true}}`)
	said := s.Says(s.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSuspended)
	assert.Equal(t, "suspended: would update 2; 1 is in sync", said.Message)
	s.Merge(s.rule, passes)
	s.settles()
	assert.Equal(t, []string{"blue", "red", "red"}, s.colors())
	s.Merge(s.rule, bakes)
	s.Merge(s.rule, `{"spec":{"suspend":null}}`)
	s.waits()
	s.settles()
	assert.Equal(t, []string{"blue", "red", "red"}, s.colors())
	s.Merge(s.rule, passes)
	s.counts(s.rule, 3, 0)
	s.Ready(s.rule)
}

// TestForeignObjectHoldsNoRolloutUp has a foreign object in the place of the copy in the canary.
func TestForeignObjectHoldsNoRolloutUp(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	canary, other := w.member(fmt.Sprintf(`{"group":%q,"canary":"yes"}`, w.Home)), w.member(w.selected())
	w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: ` + canary + `}}`)
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  rollout: {maxUnavailable: 1, waves: [{namespaceSelector: {matchLabels: {canary: "yes"}}}]}`)
	w.counts(rule, 1, 1)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	w.Merge(source, `{"data":{"color":"blue"}}`)
	w.Exists(source, other, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
}

// TestCopiesThatMayFailHoldNoRolloutUp has a policy refuse the first of three copies. One may fail, and one may be unavailable at a time.
func TestCopiesThatMayFailHoldNoRolloutUp(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	namespaces := []string{w.member(w.selected()), w.member(w.selected()), w.member(w.selected())}
	slices.Sort(namespaces)
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  rollout: {maxUnavailable: 1, maxFailures: 1}`)
	w.counts(rule, 3, 0)
	w.label(namespaces[0], fmt.Sprintf(`{"refusing":%q}`, w.Home))
	w.refuseCopies(namespaces[:1])
	w.Merge(source, `{"data":{"color":"blue"}}`)
	w.counts(rule, 2, 1)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationUpdateFailed)
	for _, namespace := range namespaces[1:] {
		w.Exists(source, namespace, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	}
}
