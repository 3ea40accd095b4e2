package integration_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// suspension is a rule with copies in two namespaces, and another namespace that it could select.
type suspension struct {
	*world
	source   *unstructured.Unstructured
	rule     *v1.ClusterProjection
	one, two string
	other    string
}

// suspends makes a rule that retains copies for the causes, and suspends it when its copies are in sync.
func suspends(t *testing.T, retain ...v1.RetainCause) *suspension {
	t.Helper()
	causes, err := json.Marshal(retain)
	require.NoError(t, err)
	s := &suspension{world: newWorld(t)}
	s.source = s.Apply(certificate)
	s.one, s.two, s.other = s.member(s.selected()), s.member(s.selected()), s.Namespace("other", nil)
	s.rule = s.fanOut(s.source, `{kind: ConfigMap, namespaceSelector: {matchLabels: {group: $HOME}}}
  content: {data: {include: [ca.crt]}}
  policy: {retain: `+string(causes)+`}`)
	s.counts(s.rule, 2, 0)
	s.Ready(s.rule)
	s.Merge(s.rule, `{"spec":{"suspend":true}}`)
	said := s.Says(s.rule, v1.ConditionDestinationWritten, metav1.ConditionTrue, v1.ReasonProjected)
	assert.Equal(t, "all 2 copies are in sync; the rule is suspended", said.Message)
	assert.Equal(t, new(int32(0)), s.rule.Status.NamespacesHeld)
	s.quiet()
	return s
}

func (s *suspension) requests(do func()) []env.Request {
	return s.requestsOn([]string{s.one, s.two, s.other, s.Away}, do)
}

// quiet returns when the operator has had nothing to do for this rule for half a second.
func (s *suspension) quiet() {
	for busy := true; busy; {
		busy = len(s.requests(s.settles)) > 0
	}
}

// copies returns the copies of the rule.
func (s *suspension) copies() []unstructured.Unstructured {
	s.T.Helper()
	var copies []unstructured.Unstructured
	for _, kind := range []string{"ConfigMap", "Secret"} {
		var list unstructured.UnstructuredList
		list.SetGroupVersionKind(ofKind(kind).GroupVersionKind())
		require.NoError(s.T, s.Client.List(s.T.Context(), &list, client.MatchingLabels{v1.LabelOwnedByClusterProjectionUID: string(s.rule.UID)}))
		copies = append(copies, list.Items...)
	}
	return copies
}

func (s *suspension) copyIn(namespace string) *unstructured.Unstructured {
	s.T.Helper()
	return s.Exists(ofKind("ConfigMap"), namespace, "root-ca", fixture.Anything)
}

// writes returns the requests that change something, except for the status of the rule and events about it.
func writes(requests []env.Request) []env.Request {
	return slices.DeleteFunc(slices.Clone(requests), func(r env.Request) bool {
		return slices.Contains([]string{"get", "list", "watch"}, r.Verb) || r.Subresource == "status" || r.Resource == "events"
	})
}

// writtenSays waits until the condition DestinationWritten has the message.
func (s *suspension) writtenSays(message string) {
	s.T.Helper()
	s.Eventually(s.rule, func() bool {
		said := s.Says(s.rule, v1.ConditionDestinationWritten, "", v1.ReasonSuspended, v1.ReasonProjected)
		return said.Message == message
	}, "the rule does not say so", message)
}

func (s *suspension) stalled() bool {
	return slices.ContainsFunc(s.rule.Status.Conditions, func(c metav1.Condition) bool {
		return c.Type == v1.ConditionStalled && c.Status == metav1.ConditionTrue
	})
}
