package watch

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
)

// scoped is a finding with a scope.
type scoped struct{ scope Scope }

func (s scoped) Error() string { return "scoped" }
func (s scoped) Scope() Scope  { return s.scope }

func TestFindingIsUndoneInItsScope(t *testing.T) {
	rule := ruleOf(v1.KindProjection, "here")
	changes := map[string]struct {
		change func(*metav1.ObjectMeta)
		from   Scope // the first scope that has the change
	}{
		"the owner": {func(o *metav1.ObjectMeta) {
			o.Annotations = map[string]string{v1.AnnotationOwnedByProjection: "here/b"}
		}, Ownership},
		"its end":          {func(o *metav1.ObjectMeta) { o.DeletionTimestamp = &metav1.Time{} }, Ownership},
		"a mark of a tool": {func(o *metav1.ObjectMeta) { o.Labels = map[string]string{"app.kubernetes.io/managed-by": "Helm"} }, Claims},
		"its own consent":  {func(o *metav1.ObjectMeta) { o.Annotations = map[string]string{v1.AnnotationProjectable: "true"} }, Claims},
		"its controller": {func(o *metav1.ObjectMeta) {
			o.OwnerReferences = []metav1.OwnerReference{{UID: "c", Controller: new(true)}}
		}, Claims},
		"another label":      {func(o *metav1.ObjectMeta) { o.Labels = map[string]string{"leader": "a"} }, Content},
		"another annotation": {func(o *metav1.ObjectMeta) { o.Annotations = map[string]string{"leader": "a"} }, Content},
		"the generation":     {func(o *metav1.ObjectMeta) { o.Generation = 2 }, Content},
		"nothing":            {func(*metav1.ObjectMeta) {}, scopes},
	}
	for name, test := range changes {
		for scope := range scopes {
			t.Run(name+"/"+strconv.Itoa(int(scope)), func(t *testing.T) {
				b, _, enqueued := blocking(rule)
				object := &metav1.ObjectMeta{Namespace: itself.Namespace, Name: itself.Name, UID: "u-1", ResourceVersion: "20", Generation: 1}
				b.SetFinding(rule, kind, object, scoped{scope})
				next := object.DeepCopy()
				next.ResourceVersion = "21"
				test.change(next)
				b.changed(schema.GroupVersionResource{}, next, false)
				assert.Equal(t, test.from <= scope, len(*enqueued) == 1)
				assert.Equal(t, test.from > scope, b.Finding(rule, kind, itself) != nil)
			})
		}
	}
}

func TestKindWithoutAGenerationMayChangeWithEveryVersion(t *testing.T) {
	rule := ruleOf(v1.KindProjection, "here")
	for _, scope := range []Scope{Claims, Content} {
		b, _, enqueued := blocking(rule)
		b.SetFinding(rule, kind, marked("20", "here/a"), scoped{scope})
		b.changed(schema.GroupVersionResource{}, marked("21", "here/a"), false)
		assert.Equal(t, scope == Content, len(*enqueued) == 1)
	}
}

// TestContentThatChangesAgainAndAgainIsLookedAtWithABackoff has somebody write into the object every second. A change of its claims, and its end,
// are never delayed.
func TestContentThatChangesAgainAndAgainIsLookedAtWithABackoff(t *testing.T) {
	rule := ruleOf(v1.KindProjection, "here")
	b, _, enqueued := blocking(rule)
	now, delays := time.Unix(0, 0), []time.Duration{}
	b.clock = func() time.Time { return now }
	b.after = func(delay time.Duration, do func()) *time.Timer {
		delays = append(delays, delay)
		do()
		return nil
	}
	version := 20
	next := func() *metav1.ObjectMeta {
		version++
		return marked(strconv.Itoa(version), "here/a")
	}
	write := func() {
		b.SetFinding(rule, kind, marked(strconv.Itoa(version), "here/a"), scoped{Content})
		now = now.Add(time.Second)
		b.changed(schema.GroupVersionResource{}, next(), false)
	}
	for range 10 {
		write()
	}
	const s = time.Second
	assert.Equal(t, []time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 30 * s, 30 * s, 30 * s}, delays)
	require.Len(t, *enqueued, 10)

	b.changed(schema.GroupVersionResource{}, next(), false)
	assert.Len(t, *enqueued, 10, "it is waited for already")
	b.SetFinding(rule, kind, marked(strconv.Itoa(version), "here/a"), scoped{Content})
	b.changed(schema.GroupVersionResource{}, next(), true)
	assert.Len(t, delays, 7, "its end")
	assert.Len(t, *enqueued, 11)

	now = now.Add(time.Hour)
	write()
	assert.Len(t, delays, 7, "it was calm for long enough")
	b.remove(rule, b.rules[rule], itself)
	b.Prune(rule)
	assert.Empty(t, b.rules[rule].paces, "nothing is in the way any more")
}
