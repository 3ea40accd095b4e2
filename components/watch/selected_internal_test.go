package watch

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
)

var (
	things = schema.GroupVersionResource{Version: "v1", Resource: "things"}
	others = schema.GroupVersionResource{Version: "v1", Resource: "others"}
)

// selecting are sources whose events a test sends, with the rules that they have enqueued.
type selecting struct {
	*Sources
	enqueued []RuleKey
	version  int
}

func newSelecting() *selecting {
	s := &selecting{version: 100}
	s.Sources = NewSources(&Objects{}, func(rule RuleKey, _ Trigger, _ time.Time) { s.enqueued = append(s.enqueued, rule) })
	return s
}

// follow begins to list what the selector selects.
func (s *selecting) follow(rule RuleKey, sources ...SourceOf) { s.begin(rule, newInterest(sources)) }

func share(namespace string) SourceOf {
	return SourceOf{Kind: things, Namespace: namespace, Selector: labels.SelectorFromSet(labels.Set{"share": "yes"})}
}

func at(name string) types.NamespacedName { return types.NamespacedName{Namespace: "here", Name: name} }

// send sends an event, and returns the rules that it has enqueued.
func (s *selecting) send(namespace, name, shared string, deleted bool) []RuleKey {
	s.version++
	s.enqueued = nil
	s.changed(things, &metav1.ObjectMeta{
		Namespace: namespace, Name: name, UID: "u", ResourceVersion: strconv.Itoa(s.version),
		Labels: map[string]string{"share": shared}, Annotations: map[string]string{v1.AnnotationProjectable: "true"},
	}, deleted)
	return s.enqueued
}

func TestEventsOfSelectedSources(t *testing.T) {
	s, rule := newSelecting(), ruleOf(v1.KindProjection, "here")
	s.follow(rule, share("here"))
	s.SetSelected(rule, things, map[types.NamespacedName]string{at("a"): "100"})
	only := []RuleKey{rule}
	assert.Equal(t, only, s.send("here", "a", "yes", false), "a source")
	assert.Equal(t, only, s.send("here", "new", "yes", false), "an object that matches now")
	assert.Empty(t, s.send("here", "other", "no", false), "an object that does not match")
	assert.Empty(t, s.send("here", "other", "yes", true), "an object that matched, was no source, and is deleted")
	assert.Empty(t, s.send("elsewhere", "a", "yes", false))
	assert.Equal(t, only, s.send("here", "a", "no", false), "a source that does not match any more")
	assert.Equal(t, only, s.send("here", "a", "no", true), "a source that is deleted")
	assert.Equal(t, LastEvent{
		Known: true, ResourceVersion: "107", Deleted: true, Annotations: map[string]string{v1.AnnotationProjectable: "true"},
		Labels: map[string]string{"share": "no"},
	}, s.LastEvent(things, at("a")))

	s.SetSelected(rule, things, nil)
	assert.Empty(t, s.send("here", "a", "no", false), "it was no source the last time")
	assert.Equal(t, LastEvent{}, s.LastEvent(things, at("a")), "nothing is kept of it")
}

// A list is read by pages, while what it has read changes.
func TestEventsWhileSourcesAreListed(t *testing.T) {
	for name, test := range map[string]struct {
		shared  string
		deleted bool
		read    string
		want    bool
	}{
		"a label is taken off after it was read":   {shared: "no", read: "100", want: true},
		"it is deleted after it was read":          {shared: "yes", deleted: true, read: "100", want: true},
		"the list has the change":                  {shared: "yes", read: "101", want: false},
		"the list is newer than the change":        {shared: "no", read: "102", want: false},
		"it was not read":                          {shared: "no", read: "", want: true},
		"another object, which is not in the list": {shared: "no", read: "none", want: false},
	} {
		s, rule := newSelecting(), ruleOf(v1.KindProjection, "here")
		s.follow(rule, share("here"))
		s.send("here", "a", test.shared, test.deleted)
		s.enqueued = nil
		selected := map[types.NamespacedName]string{at("a"): test.read}
		if test.read == "none" {
			selected = map[types.NamespacedName]string{at("b"): "100"}
		}
		s.SetSelected(rule, things, selected)
		assert.Equal(t, test.want, len(s.enqueued) > 0, name)
		assert.Equal(t, test.want, s.LastEvent(things, at("a")).Known, "%s: the event counts", name)
	}
}

// What was selected last is followed until the next list is complete.
func TestSelectedSourcesAreFollowedWhileTheyAreListedAgain(t *testing.T) {
	s, rule := newSelecting(), ruleOf(v1.KindProjection, "here")
	s.follow(rule, share("here"))
	s.SetSelected(rule, things, map[types.NamespacedName]string{at("a"): "100", at("b"): "100"})
	s.send("here", "a", "yes", false)
	s.follow(rule, share("here"))
	assert.NotEmpty(t, s.send("here", "a", "no", false))
	assert.ElementsMatch(t, []types.NamespacedName{at("a"), at("b")}, s.Selected(rule, things))
	s.SetSelected(rule, things, map[types.NamespacedName]string{at("a"): "100"})
	assert.NotEmpty(t, s.send("here", "a", "no", false))
	assert.Empty(t, s.send("here", "b", "no", false))
}

// A rule whose selector becomes the name of a source, and back, knows what the last event of the source has said.
func TestSelectorBecomesAName(t *testing.T) {
	s, rule := newSelecting(), ruleOf(v1.KindProjection, "here")
	s.follow(rule, share("here"))
	s.SetSelected(rule, things, map[types.NamespacedName]string{at("a"): "100", at("b"): "100"})
	s.send("here", "a", "yes", false)
	said := s.LastEvent(things, at("a"))

	s.follow(rule, SourceOf{Kind: things, Namespace: "here", Name: "a"})
	assert.Equal(t, said, s.LastEvent(things, at("a")))
	assert.Empty(t, s.send("here", "b", "yes", false))
	assert.Empty(t, s.send("here", "new", "yes", false))

	s.follow(rule, share("here"))
	assert.NotEmpty(t, s.send("here", "a", "yes", false), "it matches")
	s.SetSelected(rule, things, map[types.NamespacedName]string{at("a"): "200"})
	s.Sources.restarted(others)
	assert.NotEmpty(t, s.send("here", "a", "no", false))
}

func TestTwoRulesSelectTheSameSource(t *testing.T) {
	s, one, two := newSelecting(), ruleOf(v1.KindProjection, "one"), ruleOf(v1.KindProjection, "two")
	for _, rule := range []RuleKey{one, two} {
		s.follow(rule, share("here"))
		s.SetSelected(rule, things, map[types.NamespacedName]string{at("a"): "100"})
	}
	s.follow(two, share("here"), SourceOf{Kind: things, Namespace: "here", Name: "a"})
	s.SetSelected(two, things, nil)
	assert.ElementsMatch(t, []RuleKey{one, two}, s.send("here", "a", "no", false), "two names it besides")
	assert.ElementsMatch(t, []RuleKey{one, two}, s.send("here", "b", "yes", false))
}

// When events may have been missed, each rule with sources of the kind is enqueued once, also one that has selected none.
func TestRestartEnqueuesRulesWithSelectorsOnce(t *testing.T) {
	s, rule, none := newSelecting(), ruleOf(v1.KindProjection, "one"), ruleOf(v1.KindProjection, "none")
	s.follow(rule, share("here"), share("there"))
	s.SetSelected(rule, things, map[types.NamespacedName]string{at("a"): "100", at("b"): "100"})
	s.follow(none, share("here"))
	s.Sources.restarted(others)
	assert.Empty(t, s.enqueued)
	s.Sources.restarted(things)
	assert.ElementsMatch(t, []RuleKey{rule, none}, s.enqueued)
}

// Nothing is left of a rule that has ended.
func TestSelectionsAreForgotten(t *testing.T) {
	s, rule := newSelecting(), ruleOf(v1.KindProjection, "one")
	s.objects.pool = NewPool[holder](func(schema.GroupVersionResource) *kindWatch { return nil })
	s.follow(rule, share("here"))
	s.SetSelected(rule, things, map[types.NamespacedName]string{at("a"): "100"})
	s.Forget(rule)
	assert.Empty(t, s.rules)
	assert.Empty(t, s.slots)
	assert.Empty(t, s.selections)
	assert.Empty(t, s.send("here", "a", "yes", false))
	s.SetSelected(rule, things, map[types.NamespacedName]string{at("a"): "100"})
	assert.Empty(t, s.slots, "a reconcile that ends late")
}
