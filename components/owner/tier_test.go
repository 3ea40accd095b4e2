package owner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/owner"
)

var tiers = []owner.Tier{owner.Namespaced, owner.Cluster}

func TestMarksOfTheTiersAreThoseOfTheAPI(t *testing.T) {
	assert.Equal(t, owner.Tier{
		Kind:       "Projection",
		Annotation: "projection.sh/owned-by-projection",
		Label:      "projection.sh/owned-by-projection-uid",
		Finalizer:  "projection.sh/finalizer",
		Confined:   true,
	}, owner.Namespaced)
	assert.Equal(t, owner.Tier{
		Kind:       "ClusterProjection",
		Annotation: "projection.sh/owned-by-cluster-projection",
		Label:      "projection.sh/owned-by-cluster-projection-uid",
		Finalizer:  "projection.sh/cluster-finalizer",
	}, owner.Cluster)
}

func TestOwnerOf(t *testing.T) {
	tests := map[string]struct {
		tier  owner.Tier
		value string
		owner types.NamespacedName // of an object in the namespace "here"; zero: nobody
	}{
		"a rule of the namespace":          {owner.Namespaced, "here/rule", types.NamespacedName{Namespace: "here", Name: "rule"}},
		"a rule of another namespace":      {owner.Namespaced, "elsewhere/rule", types.NamespacedName{}},
		"a namespace that only begins so":  {owner.Namespaced, "her/rule", types.NamespacedName{}},
		"a namespace that only goes on so": {owner.Namespaced, "here-too/rule", types.NamespacedName{}},
		"no namespace":                     {owner.Namespaced, "rule", types.NamespacedName{}},
		"an empty namespace":               {owner.Namespaced, "/rule", types.NamespacedName{}},
		"no name":                          {owner.Namespaced, "here/", types.NamespacedName{}},
		"a slash alone":                    {owner.Namespaced, "/", types.NamespacedName{}},
		"nothing":                          {owner.Namespaced, "", types.NamespacedName{}},
		"space around":                     {owner.Namespaced, " here/rule", types.NamespacedName{}},

		"a cluster rule": {owner.Cluster, "rule", types.NamespacedName{Name: "rule"}},
		"no rule":        {owner.Cluster, "", types.NamespacedName{}},
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
				owner.Namespaced.Annotation: test.rule, owner.Cluster.Annotation: test.clusterRule,
			}}
			for _, tier := range tiers {
				_, owned := tier.OwnerOf(object)
				assert.Equal(t, tier.Kind == test.owner, owned, tier.Kind)
			}
			assert.Equal(t, name == "two owners", owner.Contested(object))
		})
	}
}

func TestOnlyTheTiersOwnAnnotationCounts(t *testing.T) {
	marks := map[string]string{owner.Namespaced.Annotation: "here/rule", owner.Cluster.Annotation: "rule"}
	for _, tier := range tiers {
		t.Run(tier.Kind, func(t *testing.T) {
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
