package integration_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

func TestRequestsOfASuspendedRule(t *testing.T) {
	s := suspends(t)
	edit := func(data string) []string {
		return names(s.requests(func() {
			s.Merge(s.source, data)
			s.quiet()
		}))
	}
	assert.Equal(t, []string{"get secrets", "update clusterprojections/status"}, edit(`{"data":{"ca.crt":"bmV3"}}`))
	assert.Equal(t, []string{"get secrets"}, edit(`{"data":{"ca.crt":"bmV3ZXI="}}`), "the plan is the same")
	assert.Equal(t, []string{"get secrets"}, edit(`{"data":{"tls.key":"bmV3ZXI="}}`), "it is not copied")
	assert.Equal(t, []string{"update clusterprojections/status"}, names(s.requests(func() {
		s.Delete(s.copyIn(s.two))
		s.writtenSays("suspended: would create 1, update 1; none is in sync")
		s.quiet()
	}))[1:], "the source is read")
	assert.Equal(t, []string{"get secrets", "update clusterprojections/status"}, edit(`{"data":{"ca.crt":"Y2E="}}`), "the edit is undone")
	assert.Equal(t, "suspended: would create 1; 1 is in sync",
		s.Says(s.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSuspended).Message)

	requests := s.requests(func() {
		s.Merge(s.rule, `{"spec":{"suspend":false}}`)
		s.Ready(s.rule)
		s.quiet()
	})
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
	assert.Equal(t, 1, count(requests, "update", "clusterprojections"), "%v", requests)
}

// TestPlanBeforeTheFirstWrite creates a rule that is suspended from the beginning.
func TestPlanBeforeTheFirstWrite(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	var rule *v1.Projection
	requests := w.requestsOf(func() {
		rule = w.Project("settings", source, func(rule *v1.Projection) { rule.Spec.Suspend = true })
		said := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSuspended)
		assert.Equal(t, "suspended: would create 1; none is in sync", said.Message)
		w.settles()
	})
	assert.Empty(t, writes(requests))
	assert.Empty(t, rule.Finalizers)
	assert.Empty(t, rule.Annotations)
	assert.Empty(t, rule.Status.DestinationName)
	_, err := w.Get(source, w.Away, "settings")
	require.True(t, client.IgnoreNotFound(err) == nil && err != nil)

	w.Merge(rule, `{"spec":{"suspend":false}}`)
	w.Ready(rule)
	w.Exists(source, w.Away, "settings", fixture.Anything)

	t.Run("a suspended rule is deleted", func(t *testing.T) {
		w.Merge(rule, `{"spec":{"suspend":true}}`)
		w.Says(rule, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonProjected)
		w.Merge(source, `{"data":{"color":"blue"}}`)
		w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSuspended)
		w.Delete(rule)
		w.Gone(rule)
		w.gone(source, w.Away, "settings")
	})
}

// TestFailuresOfASuspendedRule has failures that are known without a request.
func TestFailuresOfASuspendedRule(t *testing.T) {
	t.Run("a namespace that does not exist", func(t *testing.T) {
		w := newWorld(t)
		source := w.Apply(configMap)
		rule := w.fanOut(source, `{namespaces: [$AWAY, $AWAY-later]}
  suspend: true`)
		said := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationCreateFailed)
		failure := "1 of 2 copies failed: ConfigMap " + w.Away + "-later/settings: the namespace does not exist; the copy follows when it does; "
		assert.Equal(t, failure+"suspended: would create 1; none is in sync", said.Message)
		assert.Equal(t, new(int32(1)), rule.Status.NamespacesHeld)
		assert.Equal(t, new(int32(1)), rule.Status.NamespacesFailed)
		assert.Equal(t, new(int32(0)), rule.Status.NamespacesWritten)

		w.Merge(rule, `{"spec":{"suspend":false}}`)
		w.counts(rule, 1, 1)
		w.Merge(rule, `{"spec":{"suspend":true}}`)
		said = w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationCreateFailed)
		assert.Equal(t, failure+"the rule is suspended", said.Message)
	})
	t.Run("a foreign object that was found before", func(t *testing.T) {
		w := newWorld(t)
		source := w.Apply(configMap)
		foreign := w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $AWAY}}`)
		rule := w.Project("settings", source)
		said := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
		w.Merge(rule, `{"spec":{"suspend":true}}`)
		suspended := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
		assert.Equal(t, said.Message+"; the rule is suspended", suspended.Message)
		w.Delete(foreign)
		said = w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSuspended)
		assert.Equal(t, "suspended: would create 1; none is in sync", said.Message)
	})
	t.Run("a rule that cannot be carried out", func(t *testing.T) {
		w := newWorld(t)
		rule := w.Project("root-ca", w.Apply(certificate), as("ConfigMap", "ca.crt"))
		w.Ready(rule)
		w.Merge(rule, `{"spec":{"suspend":true,"destination":{"kind":null},"content":{"fields":{"exclude":["data.x"]}}}}`)
		said := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid)
		assert.Contains(t, said.Message, "; the rule is suspended")
		w.Merge(w.Object(certificate), `{"metadata":{"annotations":{"projection.sh/public-keys":null}}}`)
		w.Eventually(rule, func() bool {
			return strings.HasSuffix(w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid).Message, "; suspended: would delete 1")
		}, "the rule does not say what would be deleted")
		w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", fixture.Anything)
	})
}

// TestDeletedRuleThatWasSuspendedLeavesNoCopy deletes a suspended rule after what would have been repaired without the suspension.
func TestDeletedRuleThatWasSuspendedLeavesNoCopy(t *testing.T) {
	tests := map[string]func(*suspension){
		"nothing": func(*suspension) {},
		"the finalizer was removed": func(s *suspension) {
			s.Merge(s.rule, `{"metadata":{"finalizers":null}}`)
			s.claimed()
		},
		"the finalizer and the record were removed, and the kind was changed": func(s *suspension) {
			s.Merge(s.rule, `{"metadata":{"finalizers":null,"annotations":null},"spec":{"destination":{"kind":null},"content":null}}`)
			s.claimed()
		},
		"a copy lost its label, and its namespace the one of the selector": func(s *suspension) {
			s.Merge(s.copyIn(s.one), `{"metadata":{"labels":{"`+v1.LabelOwnedByClusterProjectionUID+`":null}}}`)
			s.writtenSays("suspended: would create 1; 1 is in sync")
			s.label(s.one, `{"group":null}`)
			s.writtenSays("suspended: would delete 1; 1 is in sync")
		},
		"a copy lost its label, and the copies were renamed": func(s *suspension) {
			s.Merge(s.copyIn(s.one), `{"metadata":{"labels":{"`+v1.LabelOwnedByClusterProjectionUID+`":null}}}`)
			s.writtenSays("suspended: would create 1; 1 is in sync")
			s.Merge(s.rule, `{"spec":{"destination":{"name":"other"}}}`)
			s.writtenSays("suspended: would create 2, delete 2; none is in sync")
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			s := suspends(t)
			copies := s.copies()
			prepare(s)
			s.quiet()
			s.Delete(s.rule)
			s.Gone(s.rule)
			for i := range copies {
				s.Gone(&copies[i])
			}
		})
	}
}

// claimed waits until the rule has its finalizer, and its record of the kind of its copies.
func (s *suspension) claimed() {
	s.T.Helper()
	s.Eventually(s.rule, func() bool {
		return s.Client.Get(s.T.Context(), client.ObjectKeyFromObject(s.rule), s.rule) == nil && len(s.rule.Finalizers) == 1 &&
			s.rule.Annotations[v1.AnnotationWrittenKinds] == "ConfigMap"
	}, "a rule with copies is not claimed")
}

// TestCopyWithoutItsLabelIsNotForgottenWhileTheRuleIsSuspended has a copy lose its label that the rule wants no more. Only a look at its
// place finds it.
func TestCopyWithoutItsLabelIsNotForgottenWhileTheRuleIsSuspended(t *testing.T) {
	s := suspends(t)
	unlabelled := s.copyIn(s.one)
	s.Merge(unlabelled, `{"metadata":{"labels":{"`+v1.LabelOwnedByClusterProjectionUID+`":null}}}`)
	s.writtenSays("suspended: would create 1; 1 is in sync")
	s.Merge(s.source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	s.writtenSays("suspended: would delete 2")
	s.Merge(s.rule, `{"spec":{"overlay":{"labels":{"a":"b"}}}}`)
	s.writtenSays("suspended: would delete 2")
	s.quiet()
	s.Merge(s.rule, `{"spec":{"suspend":null}}`)
	s.Gone(unlabelled)
	s.gone(unlabelled, s.two, "root-ca")
}

// TestNothingOfAnEarlierKindIsDeletedForASuspendedRule has a rule that may have written copies of a former kind too late.
func TestNothingOfAnEarlierKindIsDeletedForASuspendedRule(t *testing.T) {
	s := suspends(t)
	late := s.copyIn(s.one)
	s.Merge(s.rule, `{"spec":{"suspend":null,"destination":{"kind":null},"content":null}}`)
	s.Ready(s.rule)
	s.gone(late, s.one, "root-ca")
	s.Merge(s.rule, `{"spec":{"suspend":true}}`)
	s.writtenSays("all 2 copies are in sync; the rule is suspended")
	s.quiet()

	late.SetResourceVersion("")
	late.SetUID("")
	fields := late.GetManagedFields()
	late.SetManagedFields(nil)
	require.NoError(t, s.Client.Create(t.Context(), late))
	late.SetManagedFields(fields)
	require.NoError(t, s.Client.Update(t.Context(), late), "as if the operator had applied it")
	requests := s.requests(func() {
		s.Merge(s.rule, `{"spec":{"overlay":{"labels":{"a":"b"}}}}`)
		s.writtenSays("suspended: would update 2, delete 1; none is in sync")
		s.quiet()
	})
	assert.Zero(t, count(requests, "patch", "configmaps")+count(requests, "delete", "configmaps")+count(requests, "patch", "secrets"), "%v", requests)
	assert.Equal(t, "ConfigMap,Secret", s.rule.Annotations[v1.AnnotationWrittenKinds])
	s.Merge(s.rule, `{"spec":{"suspend":null}}`)
	s.gone(late, s.one, "root-ca")
	s.Ready(s.rule)
}
