package watch

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
)

func ruleOf(kind, namespace string) RuleKey {
	return RuleKey{Kind: kind, NamespacedName: types.NamespacedName{Namespace: namespace, Name: "rule"}}
}

func emptyPlace() *slot {
	return &slot{followers: map[RuleKey]struct{}{}}
}

func TestWhichEventsEnqueueTheRulesOfASource(t *testing.T) {
	base := func() *metav1.ObjectMeta {
		return &metav1.ObjectMeta{
			Namespace: "here", Name: "it", UID: "u-1", ResourceVersion: "10", Generation: 3,
			Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"},
		}
	}
	tests := map[string]struct {
		change  func(*metav1.ObjectMeta)
		deleted bool
		wakes   bool
	}{
		"the same again":               {func(*metav1.ObjectMeta) {}, false, false},
		"the status":                   {func(o *metav1.ObjectMeta) { o.ResourceVersion = "11" }, false, false},
		"the managed fields":           {func(o *metav1.ObjectMeta) { o.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m"}} }, false, false},
		"a finalizer":                  {func(o *metav1.ObjectMeta) { o.Finalizers = []string{"f"} }, false, false},
		"an owner":                     {func(o *metav1.ObjectMeta) { o.OwnerReferences = []metav1.OwnerReference{{Name: "o"}} }, false, false},
		"the spec":                     {func(o *metav1.ObjectMeta) { o.Generation = 4 }, false, true},
		"a label's value":              {func(o *metav1.ObjectMeta) { o.Labels["a"] = "c" }, false, true},
		"a label more":                 {func(o *metav1.ObjectMeta) { o.Labels["z"] = "" }, false, true},
		"a label less":                 {func(o *metav1.ObjectMeta) { o.Labels = nil }, false, true},
		"an annotation's value":        {func(o *metav1.ObjectMeta) { o.Annotations["c"] = "e" }, false, true},
		"an annotation more":           {func(o *metav1.ObjectMeta) { o.Annotations["z"] = "" }, false, true},
		"an annotation less":           {func(o *metav1.ObjectMeta) { o.Annotations = nil }, false, true},
		"a label that was annotation":  {func(o *metav1.ObjectMeta) { o.Labels, o.Annotations = o.Annotations, o.Labels }, false, true},
		"key and value run together":   {func(o *metav1.ObjectMeta) { o.Labels = map[string]string{"ab": ""} }, false, true},
		"another object":               {func(o *metav1.ObjectMeta) { o.UID = "u-2" }, false, true},
		"no generation":                {func(o *metav1.ObjectMeta) { o.Generation = 0 }, false, true},
		"deleted without other change": {func(*metav1.ObjectMeta) {}, true, true},
	}
	follower := ruleOf(v1.KindProjection, "here")
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := emptyPlace()
			p.followers[follower] = struct{}{}
			assert.Equal(t, []notification{{follower, SourceChanged}}, p.changed(base(), false), "the first event is news")

			after := base()
			test.change(after)
			var want []notification
			if test.wakes {
				want = []notification{{follower, SourceChanged}}
			}
			assert.Equal(t, want, p.changed(after, test.deleted))
			assert.Equal(t, after.ResourceVersion, p.version)
		})
	}
}

func TestKindWithoutGenerationsAlwaysEnqueuesTheRule(t *testing.T) {
	follower := ruleOf(v1.KindProjection, "here")
	p := emptyPlace()
	p.followers[follower] = struct{}{}
	for range 3 {
		assert.Len(t, p.changed(&metav1.ObjectMeta{Namespace: "here", Name: "it", UID: "u-1"}, false), 1)
	}
}

func TestObjectThatComesBackAsItWasEnqueuesTheRule(t *testing.T) {
	follower := ruleOf(v1.KindProjection, "here")
	p := emptyPlace()
	p.followers[follower] = struct{}{}
	object := &metav1.ObjectMeta{Namespace: "here", Name: "it", UID: "u-1", Generation: 1}
	p.changed(object, false)
	p.changed(object, true)
	assert.Len(t, p.changed(object, false), 1)
}
