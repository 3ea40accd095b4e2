package integration_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

const rivalManager = "rival"

// rival is a writer that answers each time the copy is as the operator wants it.
type rival struct {
	source string
	// answers reports whether the copy is as the operator wants it.
	answers func(copied *unstructured.Unstructured) bool
	answer  func(ctx context.Context, copies dynamic.ResourceInterface, name string) error
	// blame is how the rival is called.
	blame string
	// edit changes the source, and edited reports whether the copy has followed, unless it is gone again at once.
	edit   string
	edited func(copied *unstructured.Unstructured) bool
}

// rivals are what somebody may do to a copy, by its name: apply it with force, scale it as an autoscaler does, delete it.
func rivals() map[string]rival {
	return map[string]rival{
		"settings": {
			source:  configMap,
			answers: func(o *unstructured.Unstructured) bool { return data(o, "color") != "green" },
			answer:  appliesGreen,
			blame:   `field manager "rival"`,
			edit:    `{"data":{"size":"2"}}`,
			edited:  func(o *unstructured.Unstructured) bool { return data(o, "size") == "2" },
		},
		"web": {
			source:  strings.Replace(deployment, "replicas: 2", "replicas: 2\n  minReadySeconds: 3", 1),
			answers: func(o *unstructured.Unstructured) bool { return number(o, "spec", "replicas") != 5 },
			answer:  scales,
			blame:   `field manager "rival"`,
			edit:    `{"spec":{"minReadySeconds":7}}`,
			edited:  func(o *unstructured.Unstructured) bool { return number(o, "spec", "minReadySeconds") == 7 },
		},
		"doomed": {
			source:  strings.Replace(configMap, "settings", "doomed", 1),
			answers: func(o *unstructured.Unstructured) bool { return o.GetDeletionTimestamp() == nil },
			answer: func(ctx context.Context, copies dynamic.ResourceInterface, name string) error {
				return client.IgnoreNotFound(copies.Delete(ctx, name, metav1.DeleteOptions{}))
			},
			blame: "somebody",
			edit:  `{"data":{"size":"2"}}`,
		},
	}
}

// appliesGreen takes the color, and owns a label besides, as whoever applies an object of his own does.
func appliesGreen(ctx context.Context, copies dynamic.ResourceInterface, name string) error {
	patch := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{"theirs":"1"}},"data":{"color":"green"}}`
	_, err := copies.Patch(ctx, name, types.ApplyPatchType, []byte(patch), metav1.PatchOptions{FieldManager: rivalManager, Force: new(true)})
	return err
}

func scales(ctx context.Context, copies dynamic.ResourceInterface, name string) error {
	_, err := copies.Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{"replicas":5}}`),
		metav1.PatchOptions{FieldManager: rivalManager}, "scale")
	return err
}

func number(object *unstructured.Unstructured, path ...string) int64 {
	value, _, _ := unstructured.NestedInt64(object.Object, path...)
	return value
}

// rivalry lets the rival answer every write of the operator to the copy until the test ends.
func (w *world) rivalry(copied *unstructured.Unstructured, r rival) {
	w.T.Helper()
	ctx := w.T.Context()
	mapping, err := w.Client.RESTMapper().RESTMapping(copied.GroupVersionKind().GroupKind())
	require.NoError(w.T, err)
	dynamics, err := dynamic.NewForConfig(cluster.Config)
	require.NoError(w.T, err)
	copies := dynamics.Resource(mapping.Resource).Namespace(copied.GetNamespace())
	events, err := copies.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + copied.GetName(), ResourceVersion: copied.GetResourceVersion()})
	require.NoError(w.T, err)
	ended := make(chan struct{})
	w.T.Cleanup(func() {
		events.Stop()
		<-ended
	})
	answer := func() {
		if err := r.answer(ctx, copies, copied.GetName()); err != nil && ctx.Err() == nil {
			assert.NoError(w.T, err)
		}
	}
	answer()
	go func() {
		defer close(ended)
		for event := range events.ResultChan() {
			if object, ok := event.Object.(*unstructured.Unstructured); ok && event.Type != "DELETED" && r.answers(object) {
				answer()
			}
		}
	}()
}

// Somebody whom no repair discourages is answered at once three times, and then less and less often.
func TestRepairsOfACopyThatSomebodyKeepsChangingBackOff(t *testing.T) { //nolint:paralleltest // what is measured is a rate
	w := &world{fixture.New(t, cluster.Config)}
	sources, rules := map[string]*unstructured.Unstructured{}, map[string]*v1.Projection{}
	for name, r := range rivals() {
		sources[name] = w.Apply(r.source)
		rules[name] = w.Project(name, sources[name])
		w.Ready(rules[name])
	}
	w.settles()

	const window = 10 * time.Second // three repairs at once, one after 2 s, one 4 s later; the next would be 8 s later
	requests := w.requestsOf(func() {
		for name, r := range rivals() {
			w.rivalry(w.Exists(sources[name], w.Away, name, fixture.Anything), r)
		}
		<-time.After(window) // what is measured is a rate
	})

	for name, r := range rivals() {
		repairs := about(requests, "patch", name)
		assert.GreaterOrEqual(t, len(repairs), 4, "%s is repaired for all that", name)
		assert.LessOrEqual(t, len(repairs), 8, "%s: %v", name, repairs)
		assert.LessOrEqual(t, len(about(requests, "get", name)), 2*len(repairs), name)
		// Besides the conflict, a status may say that a write takes long.
		assert.Less(t, len(about(requests, "update", name)), len(repairs), "the status of %s does not change with each repair", name)

		told := w.Says(rules[name], v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict).Message
		warned, corrected := w.reported(rules[name], v1.ReasonDestinationConflict), w.reported(rules[name], v1.ReasonDriftCorrected)
		assert.Equal(t, "Warning", warned.Type)
		assert.Equal(t, "Normal", corrected.Type)
		for _, text := range []string{told, warned.Note, corrected.Note} {
			assert.Contains(t, text, r.blame)
		}
	}
	for name, r := range rivals() {
		w.followsAtOnce(rules[name], sources[name], r)
	}
}

// followsAtOnce edits the source while the next repair is far off: the copy is written at once, and the rule is not ready
// for all that.
func (w *world) followsAtOnce(rule *v1.Projection, source *unstructured.Unstructured, r rival) {
	w.T.Helper()
	require.NoError(w.T, w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule))
	requests := w.requestsOf(func() {
		w.Merge(source, r.edit)
		if r.edited != nil {
			w.Exists(source, w.Away, source.GetName(), r.edited)
		}
		w.settles()
	})
	assert.Len(w.T, about(requests, "patch", source.GetName()), 1, "once, and whoever answers that is not answered")
	versions := w.versionsSince(rule)
	for _, version := range versions {
		if meta.FindStatusCondition(version.Status.Conditions, v1.ConditionDestinationWritten).Reason != v1.ReasonDestinationWriteInProgress { // a write that takes long is reported until it is done
			assert.Equal(w.T, rule.Status.Conditions, version.Status.Conditions)
		}
	}
	require.NoError(w.T, w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule))
	assert.True(w.T, meta.IsStatusConditionFalse(rule.Status.Conditions, v1.ConditionReady))
}

// versionsSince returns the versions of a rule after this one, up to the present one.
func (w *world) versionsSince(rule *v1.Projection) []v1.Projection {
	w.T.Helper()
	ctx := w.T.Context()
	watching, err := client.NewWithWatch(cluster.Config, client.Options{Scheme: env.Scheme()})
	require.NoError(w.T, err)
	present := &v1.Projection{}
	require.NoError(w.T, watching.Get(ctx, client.ObjectKeyFromObject(rule), present))
	var versions []v1.Projection
	if present.ResourceVersion == rule.ResourceVersion {
		return versions
	}
	events, err := watching.Watch(ctx, &v1.ProjectionList{}, client.InNamespace(rule.Namespace), client.MatchingFields{"metadata.name": rule.Name},
		&client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: rule.ResourceVersion}})
	require.NoError(w.T, err)
	defer events.Stop()
	for event := range events.ResultChan() {
		version, isRule := event.Object.(*v1.Projection)
		require.Truef(w.T, isRule, "%v", event.Object)
		versions = append(versions, *version)
		if version.ResourceVersion == present.ResourceVersion {
			break
		}
	}
	return versions
}

// about returns the requests on objects of the name that were granted.
func about(requests []env.Request, verb, name string) []env.Request {
	var found []env.Request
	for _, request := range requests {
		if request.Verb == verb && request.Name == name && request.Code < 300 {
			found = append(found, request)
		}
	}
	return found
}

// A rival that gives up has lost: the copy is repaired, and when that has lasted the rule says so.
func TestRivalThatGivesUpIsForgotten(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)
	copied := w.Exists(source, w.Away, "settings", fixture.Anything)
	left := 4
	r := rivals()["settings"]
	answers := r.answers
	r.answers = func(o *unstructured.Unstructured) bool {
		if !answers(o) || left == 0 {
			return false
		}
		left--
		return true
	}
	w.rivalry(copied, r)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)

	require.Eventually(t, func() bool {
		require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
		return meta.IsStatusConditionTrue(*rule.GetStatusConditions(), v1.ConditionReady)
	}, env.Timeout, env.Interval)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "red" })
}

// In a fan-out, one copy that is fought over costs the others nothing.
func TestOtherCopiesAreRepairedAtOnceBesideARival(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	fought, quiet := w.member(w.selected()), w.member(w.selected())
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}`)
	w.counts(rule, 2, 0)
	w.rivalry(w.Exists(source, fought, "settings", fixture.Anything), rivals()["settings"])
	w.counts(rule, 1, 1)
	assert.Equal(t, fought, rule.Status.Failures[0].Namespace)
	assert.Contains(t, rule.Status.Failures[0].Message, `field manager "rival"`)

	w.Merge(w.Exists(source, quiet, "settings", fixture.Anything), `{"data":{"color":"green"}}`)
	requests := w.requestsOn([]string{fought, quiet}, func() {
		w.Exists(source, quiet, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "red" })
	})
	assert.LessOrEqual(t, len(within(fought, requests)), 1, "the other copy waits on")
	w.counts(rule, 1, 1)
}

// A writer that never stops, whether it is answered or not, costs no more than one that answers.
func TestWriterThatDoesNotWaitForAnAnswer(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)
	copied := w.Exists(source, w.Away, "settings", fixture.Anything)
	w.settles()

	requests := w.requestsOf(func() {
		patch := func(i int) []byte {
			body, err := json.Marshal(map[string]any{"data": map[string]string{"color": fmt.Sprint("green-", i)}})
			require.NoError(t, err)
			return body
		}
		for i := range 500 {
			require.NoError(t, w.Client.Patch(t.Context(), copied, client.RawPatch(types.MergePatchType, patch(i)), client.FieldOwner(rivalManager)))
		}
	})
	assert.LessOrEqual(t, len(requests), 60, "%v", requests)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
}
