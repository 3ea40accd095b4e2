package watch

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
)

// health is how a watch goes.
type health struct{ failure error }

func (h *health) Failure() error { return h.failure }

// blocking returns blockers where a rule watches the object at here/it, and who is enqueued. No watch is open.
func blocking(rule RuleKey) (*Blockers, *health, *[]RuleKey) {
	enqueued, watched, added := &[]RuleKey{}, &health{}, &blocker{wanted: true}
	pool := NewPool[holder](func(schema.GroupVersionResource) *kindWatch { return &kindWatch{} })
	pool.Hold(holder{rule, forSource}, kind)
	return &Blockers{
		objects: &Objects{pool: pool},
		enqueue: func(rule RuleKey, _ Trigger, _ time.Time) { *enqueued = append(*enqueued, rule) },
		clock:   time.Now,
		rules:   map[RuleKey]*blocked{rule: {watch: watched, blockers: map[types.NamespacedName]*blocker{itself: added}, paces: map[types.NamespacedName]*pace{}}},
		index:   map[location]map[RuleKey]*blocker{{kind, itself}: {rule: added}},
	}, watched, enqueued
}

var (
	kind       schema.GroupVersionResource
	itself     = types.NamespacedName{Namespace: "here", Name: "it"}
	errForeign = errors.New("a foreign object")
)

// marked returns the object at here/it in that version, given to that rule.
func marked(version, ref string) *metav1.ObjectMeta {
	return &metav1.ObjectMeta{
		Namespace: itself.Namespace, Name: itself.Name, UID: "u-1", ResourceVersion: version,
		Annotations: map[string]string{v1.AnnotationOwnedByProjection: ref},
	}
}

func TestEventsAroundALook(t *testing.T) {
	rule := ruleOf(v1.KindProjection, "here")
	none := schema.GroupVersionResource{}
	tests := map[string]struct {
		before, after []*metav1.ObjectMeta // events around the look, which sees version 20 given to here/a
		stands        bool
	}{
		"an older one before":                {before: []*metav1.ObjectMeta{marked("19", "here/b")}, stands: true},
		"older ones after":                   {after: []*metav1.ObjectMeta{marked("18", "here/b"), marked("19", ""), marked("20", "here/a")}, stands: true},
		"a newer one before, of no interest": {before: []*metav1.ObjectMeta{marked("21", "here/a")}, stands: true},
		"a newer one after, of no interest":  {after: []*metav1.ObjectMeta{marked("21", "here/a")}, stands: true},
		"news before":                        {before: []*metav1.ObjectMeta{marked("21", "here/b")}},
		"news after":                         {after: []*metav1.ObjectMeta{marked("21", "here/b")}},
		"news after older ones":              {after: []*metav1.ObjectMeta{marked("19", "here/b"), marked("21", "here/b"), marked("22", "here/b")}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b, _, woken := blocking(rule)
			for _, event := range test.before {
				b.changed(none, event, false)
			}
			assert.Empty(t, *woken, "nobody knows yet what is news")
			b.SetFinding(rule, kind, marked("20", "here/a"), errForeign)
			for _, event := range test.after {
				b.changed(none, event, false)
			}
			if test.stands {
				require.ErrorIs(t, b.Finding(rule, kind, itself), errForeign)
				assert.Empty(t, *woken)
				return
			}
			require.NoError(t, b.Finding(rule, kind, itself))
			assert.Equal(t, []RuleKey{rule}, *woken)
		})
	}
}

func TestBlockerThatEndsBeforeItIsJudged(t *testing.T) {
	rule := ruleOf(v1.KindProjection, "here")
	b, _, woken := blocking(rule)
	b.changed(schema.GroupVersionResource{}, marked("21", "here/a"), true)
	b.SetFinding(rule, kind, marked("20", "here/a"), errForeign)
	require.NoError(t, b.Finding(rule, kind, itself))
	assert.Equal(t, []RuleKey{rule}, *woken)
}

func TestFindingOfBeforeEventsWereMissedDoesNotStand(t *testing.T) {
	rule := ruleOf(v1.KindProjection, "here")
	for name, judged := range map[string]bool{"judged before": true, "judged after": false} {
		t.Run(name, func(t *testing.T) {
			b, _, woken := blocking(rule)
			if judged {
				b.SetFinding(rule, kind, marked("20", "here/a"), errForeign)
			}
			b.restarted(schema.GroupVersionResource{})
			if !judged {
				b.SetFinding(rule, kind, marked("20", "here/a"), errForeign)
			}
			require.NoError(t, b.Finding(rule, kind, itself))
			assert.Empty(t, *woken, "the restart enqueues the rule by its source")
			assert.Empty(t, b.index, "it has to be watched again")
		})
	}
}

func TestRestartEnqueuesARuleWhoseSourceIsOfAnotherKind(t *testing.T) {
	rule := ruleOf(v1.KindProjection, "here")
	b, _, enqueued := blocking(rule)
	b.objects.pool.Hold(holder{rule, forBlockers}, kind)
	b.objects.pool.Hold(holder{rule, forSource}, schema.GroupVersionResource{Version: "v1", Resource: "secrets"})
	b.SetFinding(rule, kind, marked("20", "here/a"), errForeign)
	b.restarted(schema.GroupVersionResource{Version: "v1", Resource: "secrets"})
	require.ErrorIs(t, b.Finding(rule, kind, itself), errForeign, "the watch on the blocker goes on")
	assert.Empty(t, *enqueued)

	b.restarted(kind)

	require.NoError(t, b.Finding(rule, kind, itself))
	assert.Equal(t, []RuleKey{rule}, *enqueued)
}

func TestFindingDoesNotStandWhileTheWatchFails(t *testing.T) {
	rule := ruleOf(v1.KindProjection, "here")
	b, watched, _ := blocking(rule)
	b.SetFinding(rule, kind, marked("20", "here/a"), errForeign)
	watched.failure = errors.New("refused")
	require.NoError(t, b.Finding(rule, kind, itself))
	watched.failure = nil
	require.ErrorIs(t, b.Finding(rule, kind, itself), errForeign)
}
