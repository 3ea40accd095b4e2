package watch

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
)

// weather is how a watch goes.
type weather struct{ failure error }

func (w *weather) Failure() error { return w.failure }

// blocking returns sources where a rule waits for the object at here/it, and who is woken.
func blocking(rule RuleKey) (*Sources, *weather, *[]RuleKey) {
	s, woken := followed()
	w := &weather{}
	source := types.NamespacedName{Namespace: "here", Name: "source"}
	s.rules[rule] = &subscription{source: source, watch: w, obstacles: map[types.NamespacedName]*obstacle{}}
	s.slot(schema.GroupVersionResource{}, source).followers[rule] = struct{}{}
	s.Block(rule, kind, itself)
	return s, w, woken
}

var (
	kind        schema.GroupVersionResource
	itself      = types.NamespacedName{Namespace: "here", Name: "it"}
	errStranger = errors.New("a stranger")
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
			s, _, woken := blocking(rule)
			for _, event := range test.before {
				s.changed(none, event, false)
			}
			assert.Empty(t, *woken, "nobody knows yet what is news")
			s.Judge(rule, kind, marked("20", "here/a"), errStranger)
			for _, event := range test.after {
				s.changed(none, event, false)
			}
			if test.stands {
				require.ErrorIs(t, s.Verdict(rule, kind, itself), errStranger)
				assert.Empty(t, *woken)
				return
			}
			require.NoError(t, s.Verdict(rule, kind, itself))
			assert.Equal(t, []RuleKey{rule}, *woken)
		})
	}
}

func TestObstacleThatEndsBeforeItIsJudged(t *testing.T) {
	rule := ruleOf(v1.KindProjection, "here")
	s, _, woken := blocking(rule)
	s.changed(schema.GroupVersionResource{}, marked("21", "here/a"), true)
	s.Judge(rule, kind, marked("20", "here/a"), errStranger)
	require.NoError(t, s.Verdict(rule, kind, itself))
	assert.Equal(t, []RuleKey{rule}, *woken)
}

func TestVerdictOfBeforeEventsWereMissedDoesNotStand(t *testing.T) {
	rule := ruleOf(v1.KindProjection, "here")
	for name, judged := range map[string]bool{"judged before": true, "judged after": false} {
		t.Run(name, func(t *testing.T) {
			s, _, woken := blocking(rule)
			if judged {
				s.Judge(rule, kind, marked("20", "here/a"), errStranger)
			}
			s.restarted(schema.GroupVersionResource{})
			if !judged {
				s.Judge(rule, kind, marked("20", "here/a"), errStranger)
			}
			require.NoError(t, s.Verdict(rule, kind, itself))
			assert.Equal(t, []RuleKey{rule}, *woken, "by its source")
			assert.Len(t, s.index[schema.GroupVersionResource{}], 1, "nobody waits there")
		})
	}
}

func TestVerdictDoesNotStandWhileTheWatchFails(t *testing.T) {
	rule := ruleOf(v1.KindProjection, "here")
	s, weather, _ := blocking(rule)
	s.Judge(rule, kind, marked("20", "here/a"), errStranger)
	weather.failure = errors.New("refused")
	require.NoError(t, s.Verdict(rule, kind, itself))
	weather.failure = nil
	require.ErrorIs(t, s.Verdict(rule, kind, itself), errStranger)
}
