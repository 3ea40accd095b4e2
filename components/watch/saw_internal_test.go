package watch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
)

// followed returns sources that the rules follow at here/it, and who is woken. No watch is open.
func followed(rules ...RuleKey) (*Sources, *[]RuleKey) {
	woken := &[]RuleKey{}
	s := &Sources{
		enqueue: func(rule RuleKey, _ Trigger, _ time.Time) { *woken = append(*woken, rule) },
		clock:   time.Now,
		rules:   map[RuleKey]*interest{},
		slots:   map[schema.GroupVersionResource]map[types.NamespacedName]*slot{},
	}
	for _, rule := range rules {
		s.slot(schema.GroupVersionResource{}, types.NamespacedName{Namespace: "here", Name: "it"}).followers[rule] = struct{}{}
	}
	return s, woken
}

func sourceAt(version string, generation int64) *metav1.ObjectMeta {
	return &metav1.ObjectMeta{Namespace: "here", Name: "it", UID: "u-1", ResourceVersion: version, Generation: generation}
}

func TestWhatTheOnlyRuleHasReadEnqueuesNobody(t *testing.T) {
	only := ruleOf(v1.KindProjection, "here")
	s, woken := followed(only)
	read := sourceAt("10", 1)
	s.ObserveRead(schema.GroupVersionResource{}, read)
	s.changed(schema.GroupVersionResource{}, read, false)
	assert.Empty(t, *woken)

	s.changed(schema.GroupVersionResource{}, sourceAt("12", 2), false)
	assert.Equal(t, []RuleKey{only}, *woken)
	s.ObserveRead(schema.GroupVersionResource{}, sourceAt("11", 1))
	s.changed(schema.GroupVersionResource{}, sourceAt("13", 1), false)
	assert.Equal(t, []RuleKey{only, only}, *woken, "what was read before an event is older")
}

// A pass that began before events were missed notes what it has read after that; the next pass reads more.
func TestChangeBackToWhatAnEarlierReconcileHasReadEnqueuesTheRule(t *testing.T) {
	reader, other := ruleOf(v1.KindProjection, "here"), ruleOf(v1.KindClusterProjection, "")
	at := types.NamespacedName{Namespace: "here", Name: "it"}
	for name, joins := range map[string]bool{"to the only follower": false, "to one of two": true} {
		t.Run(name, func(t *testing.T) {
			s, woken := followed(reader)
			s.restarted(schema.GroupVersionResource{})
			s.ObserveRead(schema.GroupVersionResource{}, sourceAt("10", 1))
			if joins {
				s.slot(schema.GroupVersionResource{}, at).followers[other] = struct{}{}
			}
			s.ObserveRead(schema.GroupVersionResource{}, sourceAt("11", 2))
			assert.Equal(t, "11", s.LastVersion(schema.GroupVersionResource{}, at), "nobody is to read less")
			*woken = nil
			s.changed(schema.GroupVersionResource{}, sourceAt("12", 1), false)
			assert.Contains(t, *woken, reader)
		})
	}
}

func TestWhatOneOfSeveralRulesHasReadEnqueuesTheOthers(t *testing.T) {
	reader, waiting := ruleOf(v1.KindProjection, "here"), ruleOf(v1.KindClusterProjection, "")
	s, woken := followed(reader, waiting)
	created := &metav1.ObjectMeta{Namespace: "here", Name: "it", UID: "u-1", Generation: 1}
	s.ObserveRead(schema.GroupVersionResource{}, created) // the other found no source when it looked
	s.changed(schema.GroupVersionResource{}, created, false)
	assert.ElementsMatch(t, []RuleKey{reader, waiting}, *woken)
}

func TestWhatNobodyFollowsIsNotKept(t *testing.T) {
	s, _ := followed()
	s.ObserveRead(schema.GroupVersionResource{}, &metav1.ObjectMeta{Namespace: "here", Name: "it"})
	assert.Empty(t, s.slots)
}
