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

func TestLatestSaysWhetherTheSourceConsents(t *testing.T) {
	kind := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	at := types.NamespacedName{Namespace: "here", Name: "it"}
	s := &Sources{clock: time.Now, enqueue: func(RuleKey, Trigger, time.Time) {}, slots: map[schema.GroupVersionResource]map[types.NamespacedName]*slot{}}
	assert.Zero(t, s.LastEvent(kind, at), "nobody waits for it")
	s.slot(kind, at)
	assert.Zero(t, s.LastEvent(kind, at), "there was no event")

	object := &metav1.ObjectMeta{Namespace: "here", Name: "it", ResourceVersion: "10", Annotations: map[string]string{"other": "x"}}
	s.changed(kind, object, false)
	assert.Equal(t, LastEvent{Known: true, ResourceVersion: "10"}, s.LastEvent(kind, at))
	object.ResourceVersion, object.Annotations = "11", map[string]string{"other": "x", v1.AnnotationProjectable: v1.ProjectableFalse}
	s.changed(kind, object, false)
	vetoed := map[string]string{v1.AnnotationProjectable: v1.ProjectableFalse}
	assert.Equal(t, LastEvent{Known: true, ResourceVersion: "11", Annotations: vetoed}, s.LastEvent(kind, at))
	s.restarted(kind)
	assert.Equal(t, LastEvent{Known: true, Annotations: vetoed}, s.LastEvent(kind, at), "the API server may have been restored from a backup, where older is newer")
	s.ObserveRead(kind, &metav1.ObjectMeta{Namespace: "here", Name: "it", ResourceVersion: "11"})
	assert.Zero(t, s.LastEvent(kind, at), "it was read since")
	object.ResourceVersion = "12"
	s.changed(kind, object, true)
	assert.Equal(t, LastEvent{Known: true, ResourceVersion: "12", Deleted: true, Annotations: vetoed}, s.LastEvent(kind, at))
	public := map[string]string{v1.AnnotationProjectable: v1.ProjectableTrue, v1.AnnotationPublicKeys: "ca.crt"}
	object.ResourceVersion, object.Annotations = "13", public
	s.changed(kind, object, false)
	assert.Equal(t, LastEvent{Known: true, ResourceVersion: "13", Annotations: public}, s.LastEvent(kind, at))
}
