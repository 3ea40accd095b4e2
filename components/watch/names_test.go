package watch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/expressions"
	"projection.sh/operator/components/watch"
)

func annotated(text string) metav1.Object {
	namespace := watch.NewNamespace()
	namespace.Name, namespace.Annotations = "n", map[string]string{"contact": text}
	return namespace
}

func TestNamesOfRules(t *testing.T) {
	reads := expressions.Names{Target: true, Annotations: true}
	one := watch.RuleKey{Kind: "Projection", NamespacedName: types.NamespacedName{Namespace: "n", Name: "one"}}
	two := watch.RuleKey{Kind: "Projection", NamespacedName: types.NamespacedName{Namespace: "n", Name: "two"}}
	wide := watch.RuleKey{Kind: "ClusterProjection", NamespacedName: types.NamespacedName{Name: "one"}}
	names := watch.NewNames()
	names.Set(one, expressions.Names{})
	assert.Empty(t, names.Affected(nil, annotated("a")), "it names nothing")
	names.Set(one, reads)
	names.Set(two, expressions.Names{Target: true})
	assert.Equal(t, reads, names.Of(one))
	assert.False(t, names.ReadChange(annotated("a"), annotated("b")), "they are in a namespace")
	names.Set(wide, reads)
	assert.True(t, names.ReadChange(annotated("a"), annotated("b")))
	assert.False(t, names.ReadChange(annotated("a"), annotated("a")))

	assert.Equal(t, []watch.RuleKey{one}, names.Affected(annotated("a"), annotated("b")))
	assert.ElementsMatch(t, []watch.RuleKey{one, two}, names.Affected(nil, annotated("b")), "the namespace becomes known")
	assert.Empty(t, names.Affected(annotated("a"), annotated("a")))
	assert.Empty(t, names.Affected(annotated("a"), nil), "its rules end with it")
	other := watch.NewNamespace()
	other.Name = "other"
	assert.Empty(t, names.Affected(nil, other))

	names.Set(one, expressions.Names{})
	names.Set(wide, expressions.Names{})
	assert.Empty(t, names.Affected(annotated("a"), annotated("b")))
	assert.Equal(t, expressions.Names{}, names.Of(one))
	assert.False(t, names.ReadChange(annotated("a"), annotated("b")))
}

func TestNoNamesAreThoseOfNoRule(t *testing.T) {
	var names *watch.Names
	names.Set(watch.RuleKey{}, expressions.Names{Target: true})
	assert.Equal(t, expressions.Names{}, names.Of(watch.RuleKey{}))
	assert.Empty(t, names.Affected(nil, annotated("a")))
	assert.False(t, names.ReadChange(annotated("a"), annotated("b")))
}
