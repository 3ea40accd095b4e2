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
func followed(rules ...Rule) (*Sources, *[]Rule) {
	woken := &[]Rule{}
	s := &Sources{
		wake:  func(rule Rule, _ Cause, _ time.Time) { *woken = append(*woken, rule) },
		clock: time.Now,
		rules: map[Rule]*interest{},
		index: map[schema.GroupVersionResource]map[types.NamespacedName]*place{},
	}
	for _, rule := range rules {
		s.place(schema.GroupVersionResource{}, types.NamespacedName{Namespace: "here", Name: "it"}).followers[rule] = struct{}{}
	}
	return s, woken
}

func TestWhatTheOnlyFollowerHasReadIsNoNews(t *testing.T) {
	only := ruleOf(v1.KindProjection, "here")
	s, woken := followed(only)
	read := &metav1.ObjectMeta{Namespace: "here", Name: "it", UID: "u-1", Generation: 1}
	s.Saw(schema.GroupVersionResource{}, read)
	s.changed(schema.GroupVersionResource{}, read, false)
	assert.Empty(t, *woken)

	edited := read.DeepCopy()
	edited.Generation = 2
	s.Saw(schema.GroupVersionResource{}, edited)
	s.changed(schema.GroupVersionResource{}, edited, false)
	assert.Equal(t, []Rule{only}, *woken, "once there was an event, events tell")
}

func TestWhatOneOfSeveralFollowersHasReadIsNewsToTheOthers(t *testing.T) {
	reader, waiting := ruleOf(v1.KindProjection, "here"), ruleOf(v1.KindClusterProjection, "")
	s, woken := followed(reader, waiting)
	created := &metav1.ObjectMeta{Namespace: "here", Name: "it", UID: "u-1", Generation: 1}
	s.Saw(schema.GroupVersionResource{}, created) // the other found no source when it looked
	s.changed(schema.GroupVersionResource{}, created, false)
	assert.ElementsMatch(t, []Rule{reader, waiting}, *woken)
}

func TestWhatNobodyFollowsIsNotKept(t *testing.T) {
	s, _ := followed()
	s.Saw(schema.GroupVersionResource{}, &metav1.ObjectMeta{Namespace: "here", Name: "it"})
	assert.Empty(t, s.index)
}
