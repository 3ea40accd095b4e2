package integration_test

import (
	"fmt"
	"slices"
	"strings"
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

// staged is a rule whose copies are changed in waves: first the one in the canary, then the others. A copy is ready after an hour in the
// first wave, so the others wait until the test edits the rule.
type staged struct {
	*world
	source *unstructured.Unstructured
	rule   *v1.ClusterProjection
	canary string
	others []string
}

const (
	// bakes has the first wave wait for an hour, and passes has it wait for nothing.
	bakes  = `{"spec":{"rollout":{"waves":[{"namespaceSelector":{"matchLabels":{"canary":"yes"}},"minReadySeconds":3600}]}}}`
	passes = `{"spec":{"rollout":{"waves":[{"namespaceSelector":{"matchLabels":{"canary":"yes"}}}]}}}`
)

// stages makes a rule with a rollout, and its namespaces.
func stages(t *testing.T) *staged {
	t.Helper()
	s := &staged{world: newWorld(t)}
	s.source = s.Apply(configMap)
	s.others = []string{s.member(s.selected()), s.member(s.selected())}
	s.canary = s.member(fmt.Sprintf(`{"group":%q,"canary":"yes"}`, s.Home))
	slices.Sort(s.others)
	s.rule = s.fanOut(s.source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  rollout: {waves: [{namespaceSelector: {matchLabels: {canary: "yes"}}, minReadySeconds: 3600}]}`)
	return s
}

// introduced is a rule with a rollout whose copies are there.
func introduced(t *testing.T) *staged {
	t.Helper()
	s := stages(t)
	s.Merge(s.rule, passes)
	s.counts(s.rule, 3, 0)
	s.Ready(s.rule)
	s.Merge(s.rule, bakes)
	s.Ready(s.rule)
	return s
}

// colors returns what the copies in the canary and in the other namespaces have; empty: there is none.
func (s *staged) colors() []string {
	s.T.Helper()
	var colors []string
	for _, namespace := range append([]string{s.canary}, s.others...) {
		copied, err := s.Get(s.source, namespace, "settings")
		if require.NoError(s.T, client.IgnoreNotFound(err)); err != nil {
			copied = &unstructured.Unstructured{Object: map[string]any{}}
		}
		colors = append(colors, data(copied, "color"))
	}
	return colors
}

func (s *staged) paint(color string) { s.Merge(s.source, `{"data":{"color":"`+color+`"}}`) }

// waits returns when the rule says that the canary has the present content, and that the other two copies wait.
func (s *staged) waits() {
	s.T.Helper()
	s.Eventually(s.rule, func() bool {
		said := s.Says(s.rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonRolloutInProgress)
		return said.Message == "wave 1 of 2: 1 of 3 copies have the present content" && *s.rule.Status.NamespacesHeld == 2
	}, "it does not say that two copies wait")
	assert.False(s.T, slices.ContainsFunc(s.Conditions(s.rule), func(c metav1.Condition) bool { return c.Type == v1.ConditionStalled }))
}

func TestCopiesAreChangedInWaves(t *testing.T) {
	s := stages(t)
	s.waits()
	assert.Equal(t, []string{"red", "", ""}, s.colors(), "the first copies of a rule wait, too")
	assert.Equal(t, &v1.RolloutStatus{Wave: 1}, s.rule.Status.Rollout)
	s.Merge(s.rule, passes)
	s.counts(s.rule, 3, 0)
	s.Ready(s.rule)
	assert.Equal(t, []string{"red", "red", "red"}, s.colors())
	assert.Equal(t, &v1.RolloutStatus{Introduced: true}, s.rule.Status.Rollout)
	assert.Equal(t, new(int32(0)), s.rule.Status.NamespacesHeld)

	s.Merge(s.rule, bakes)
	s.paint("blue")
	s.waits()
	assert.Equal(t, []string{"blue", "red", "red"}, s.colors())
	s.paint("green")
	s.Exists(s.source, s.canary, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "green" })
	s.settles()
	assert.Equal(t, []string{"green", "red", "red"}, s.colors(), "copies can skip a content")

	t.Run("the source is reverted", func(t *testing.T) {
		s.paint("red")
		s.counts(s.rule, 3, 0)
		s.Ready(s.rule)
		assert.Equal(t, []string{"red", "red", "red"}, s.colors())
	})
	t.Run("the rollout is removed", func(t *testing.T) {
		s.paint("blue")
		s.waits()
		s.Merge(s.rule, `{"spec":{"rollout":null}}`)
		s.counts(s.rule, 3, 0)
		assert.Equal(t, []string{"blue", "blue", "blue"}, s.colors())
		assert.Nil(t, s.rule.Status.Rollout)
		assert.Nil(t, s.rule.Status.NamespacesHeld)
	})
}

// TestWhatDoesNotWaitForARollout has two copies wait for their turn.
func TestWhatDoesNotWaitForARollout(t *testing.T) {
	tests := map[string]struct {
		cause func(*staged)
		want  []string
	}{
		"a copy that is deleted": {
			func(s *staged) { s.Delete(s.Exists(s.source, s.others[0], "settings", fixture.Anything)) }, []string{"blue", "blue", "red"},
		},
		"a copy that is edited": {
			func(s *staged) {
				s.Merge(s.Exists(s.source, s.others[1], "settings", fixture.Anything), `{"data":{"color":"theirs"}}`)
			}, []string{"blue", "red", "blue"},
		},
		"a copy that loses a key": {
			func(s *staged) {
				s.Merge(s.Exists(s.source, s.others[0], "settings", fixture.Anything), `{"data":{"size":null}}`)
			}, []string{"blue", "blue", "red"},
		},
		"a copy whose hash is edited": {
			func(s *staged) {
				s.Merge(s.Exists(s.source, s.others[0], "settings", fixture.Anything), `{"metadata":{"annotations":{"`+v1.AnnotationContentHash+`":"x"}}}`)
			}, []string{"blue", "blue", "red"},
		},
		"the drift of a copy with the present content": {
			func(s *staged) {
				s.Merge(s.Exists(s.source, s.canary, "settings", fixture.Anything), `{"data":{"color":"theirs"}}`)
			}, []string{"blue", "red", "red"},
		},
		"a namespace that comes into the first wave": {
			func(s *staged) { s.label(s.others[1], `{"canary":"yes"}`) }, []string{"blue", "red", "blue"},
		},
		"a wave that selects another namespace": {
			func(s *staged) {
				s.label(s.others[0], `{"early":"yes"}`)
				s.Merge(s.rule, `{"spec":{"rollout":{"waves":[{"namespaceSelector":{"matchLabels":{"early":"yes"}},"minReadySeconds":3600}]}}}`)
			}, []string{"blue", "blue", "red"},
		},
		"a namespace that is no target any more": {
			func(s *staged) { s.label(s.others[0], `{"group":null}`) }, []string{"blue", "", "red"},
		},
		"an opt-out": {
			func(s *staged) {
				s.Merge(s.source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
			}, []string{"", "", ""},
		},
		"a permission that ends": {
			func(s *staged) {
				s.Merge(s.source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: canary=yes"}}}`)
			}, []string{"blue", "", ""},
		},
		"a permission that begins": { // copies are opted out
			func(s *staged) {
				s.Merge(s.source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: group=`+s.Home+`"}}}`)
			}, []string{"blue", "blue", "blue"},
		},
		"another source": { // nobody asks the owner of the former one any more
			func(s *staged) {
				s.Apply(strings.NewReplacer("name: settings", "name: other", "color: red", "color: green").Replace(configMap))
				s.Merge(s.rule, `{"spec":{"source":{"name":"other"},"destination":{"name":"settings"}}}`)
			}, []string{"green", "green", "green"},
		},
		"the end of the source": {func(s *staged) { s.Delete(s.source) }, []string{"", "", ""}},
		"the end of the rule":   {func(s *staged) { s.Delete(s.rule) }, []string{"", "", ""}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := introduced(t)
			s.paint("blue")
			s.waits()
			test.cause(s)
			require.Eventually(t, func() bool { return slices.Equal(test.want, s.colors()) }, env.Timeout, env.Interval, "%v", s.colors)
			s.settles()
			assert.Equal(t, test.want, s.colors())
		})
	}
}

// TestRefusedCopyHoldsTheRollout has a policy refuse the copy in the canary.
func TestRefusedCopyHoldsTheRollout(t *testing.T) {
	s := introduced(t)
	s.label(s.canary, fmt.Sprintf(`{"refusing":%q}`, s.Home))
	s.refuseCopies([]string{s.canary})
	s.paint("blue")
	said := s.Says(s.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRolloutHeld)
	assert.Contains(t, said.Message, "held in wave 1 of 2: 1 of 1 copies failed, and 0 may; 2 copies wait: ConfigMap "+s.canary+"/settings: ")
	s.Says(s.rule, v1.ConditionStalled, metav1.ConditionTrue, v1.ReasonRolloutHeld)
	assert.Equal(t, new(int32(1)), s.rule.Status.NamespacesFailed)
	assert.Equal(t, new(int32(2)), s.rule.Status.NamespacesHeld)
	assert.Equal(t, []string{"red", "red", "red"}, s.colors())

	t.Run("a new namespace has nothing to lose", func(t *testing.T) {
		namespace := s.member(s.selected())
		s.Exists(s.source, namespace, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
		assert.Equal(t, []string{"red", "red", "red"}, s.colors())
	})
	t.Run("the refusal ends", func(t *testing.T) {
		s.Merge(s.rule, passes)
		s.label(s.canary, `{"refusing":null}`)
		s.counts(s.rule, 4, 0)
		assert.Equal(t, []string{"blue", "blue", "blue"}, s.colors())
	})
}

// TestRequestsOfARollout counts what a rollout costs whose copies are changed one after the other.
func TestRequestsOfARollout(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	namespaces := make([]string, 6)
	for i := range namespaces {
		namespaces[i] = w.member(w.selected())
	}
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  rollout: {maxUnavailable: 1}`)
	w.counts(rule, 6, 0)
	w.Ready(rule)
	requests := w.requestsOn(namespaces, func() {
		w.Merge(source, `{"data":{"color":"blue"}}`)
		for _, namespace := range namespaces {
			w.Exists(source, namespace, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
		}
		w.settles()
	})
	assert.Equal(t, len(namespaces), count(requests, "patch", "configmaps"), "%v", requests)
	assert.Equal(t, 1, count(requests, "get", "configmaps"), "%v", requests)
	assert.Zero(t, count(requests, "update", "clusterprojections"), "%v", requests)

	written := w.patched(requests)
	assert.True(t, slices.IsSorted(written), "%v", written)
}

// TestRequestsOfARolloutInTenWaves counts what it costs to change many copies in many waves.
func TestRequestsOfARolloutInTenWaves(t *testing.T) {
	const waves, copies = 10, 40
	w := newWorld(t)
	source := w.Apply(configMap)
	var selectors []string
	namespaces := make([]string, copies)
	for wave := range waves {
		selectors = append(selectors, fmt.Sprintf(`{namespaceSelector: {matchLabels: {wave: "%d"}}}`, wave))
	}
	for i := range namespaces {
		namespaces[i] = w.member(fmt.Sprintf(`{"group":%q,"wave":"%d"}`, w.Home, i%waves))
	}
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  rollout: {maxUnavailable: 50%, waves: [`+strings.Join(selectors, ", ")+`]}`)
	w.counts(rule, copies, 0)
	w.Ready(rule)
	w.settles()
	requests := w.requestsOn(namespaces, func() {
		w.Merge(source, `{"data":{"color":"blue"}}`)
		for _, namespace := range namespaces {
			w.Exists(source, namespace, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
		}
		w.settles()
	})
	assert.Equal(t, copies, count(requests, "patch", "configmaps"), "%v", requests)
	assert.LessOrEqual(t, count(requests, "update", "clusterprojections"), waves, "%v", requests)
	wave := 0
	for _, namespace := range w.patched(requests) {
		number := slices.Index(namespaces, namespace) % waves
		assert.GreaterOrEqual(t, number, wave, "an earlier wave comes later")
		wave = number
	}
}

// patched returns the namespaces of copies that were written, in their order.
func (w *world) patched(requests []env.Request) []string {
	var namespaces []string
	for _, request := range requests {
		if request.Verb == "patch" && request.Resource == "configmaps" {
			namespaces = append(namespaces, request.Namespace)
		}
	}
	return namespaces
}
