package owner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/owner"
)

var tiers = []owner.RuleKind{owner.Projection, owner.ClusterProjection}

func TestMarksOfTheTiersAreThoseOfTheAPI(t *testing.T) {
	assert.Equal(t, owner.RuleKind{
		Name:       "Projection",
		Annotation: "projection.sh/owned-by-projection",
		Label:      "projection.sh/owned-by-projection-uid",
		Finalizer:  "projection.sh/finalizer",
		Namespaced: true,
	}, owner.Projection)
	assert.Equal(t, owner.RuleKind{
		Name:       "ClusterProjection",
		Annotation: "projection.sh/owned-by-cluster-projection",
		Label:      "projection.sh/owned-by-cluster-projection-uid",
		Finalizer:  "projection.sh/cluster-finalizer",
	}, owner.ClusterProjection)
}

func TestOwnerOf(t *testing.T) {
	tests := map[string]struct {
		tier  owner.RuleKind
		value string
		owner types.NamespacedName // of an object in the namespace "here"; zero: nobody
	}{
		"a rule of the namespace":          {owner.Projection, "here/rule", types.NamespacedName{Namespace: "here", Name: "rule"}},
		"a rule of another namespace":      {owner.Projection, "elsewhere/rule", types.NamespacedName{}},
		"a namespace that only begins so":  {owner.Projection, "her/rule", types.NamespacedName{}},
		"a namespace that only goes on so": {owner.Projection, "here-too/rule", types.NamespacedName{}},
		"no namespace":                     {owner.Projection, "rule", types.NamespacedName{}},
		"an empty namespace":               {owner.Projection, "/rule", types.NamespacedName{}},
		"no name":                          {owner.Projection, "here/", types.NamespacedName{}},
		"a slash alone":                    {owner.Projection, "/", types.NamespacedName{}},
		"nothing":                          {owner.Projection, "", types.NamespacedName{}},
		"space around":                     {owner.Projection, " here/rule", types.NamespacedName{}},

		"a cluster rule": {owner.ClusterProjection, "rule", types.NamespacedName{Name: "rule"}},
		"no rule":        {owner.ClusterProjection, "", types.NamespacedName{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object := &metav1.ObjectMeta{Namespace: "here", Annotations: map[string]string{test.tier.Annotation: test.value}}
			rule, owned := test.tier.OwnerOf(object)
			assert.Equal(t, test.owner, rule)
			assert.Equal(t, test.owner != types.NamespacedName{}, owned)
		})
	}
}

func TestWhatNamesTwoOwnersHasNone(t *testing.T) {
	tests := map[string]struct {
		rule, clusterRule string
		owner             string // kind of the owner of an object in the namespace "here"; empty: nobody
	}{
		"two owners":                           {"here/rule", "rule", ""},
		"one in order, one of another place":   {"elsewhere/rule", "rule", "ClusterProjection"},
		"one in order, one that names nothing": {"here/rule", "", "Projection"},
		"none in order":                        {"rule", "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object := &metav1.ObjectMeta{Namespace: "here", Annotations: map[string]string{
				owner.Projection.Annotation: test.rule, owner.ClusterProjection.Annotation: test.clusterRule,
			}}
			for _, tier := range tiers {
				_, owned := tier.OwnerOf(object)
				assert.Equal(t, tier.Name == test.owner, owned, tier.Name)
			}
			assert.Equal(t, name == "two owners", owner.IsAmbiguous(object))
		})
	}
}

func TestOnlyTheTiersOwnAnnotationCounts(t *testing.T) {
	marks := map[string]string{owner.Projection.Annotation: "here/rule", owner.ClusterProjection.Annotation: "rule"}
	for _, tier := range tiers {
		t.Run(tier.Name, func(t *testing.T) {
			object := &metav1.ObjectMeta{Namespace: "here", Annotations: map[string]string{}, Labels: map[string]string{tier.Label: "uid"}}
			_, owned := tier.OwnerOf(object)
			assert.False(t, owned, "the label decides nothing")

			for annotation, value := range marks {
				object.Annotations = map[string]string{annotation: value}
				_, owned = tier.OwnerOf(object)
				assert.Equal(t, annotation == tier.Annotation, owned, annotation)
			}
		})
	}
}
