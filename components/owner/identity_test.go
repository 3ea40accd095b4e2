package owner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/mutations"
)

var (
	tenant   = owner.Identity{Kind: owner.Projection, Namespace: "here", Name: "rule", UID: "u-1"}
	platform = owner.Identity{Kind: owner.ClusterProjection, Name: "rule", UID: "u-2"}
)

func TestIdentityOfARule(t *testing.T) {
	projection := &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: "here", Name: "rule", UID: "u-1"}}
	assert.Equal(t, tenant, owner.IdentityOf(owner.Projection, projection))
	assert.Equal(t, types.NamespacedName{Namespace: "here", Name: "rule"}, tenant.Key())
	assert.Equal(t, "here/rule", tenant.Ref())

	cluster := &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: "rule", UID: "u-2"}}
	assert.Equal(t, platform, owner.IdentityOf(owner.ClusterProjection, cluster))
	assert.Equal(t, types.NamespacedName{Name: "rule"}, platform.Key())
	assert.Equal(t, "rule", platform.Ref())
}

func TestStampNamesTheRule(t *testing.T) {
	assert.Equal(t, mutations.Stamp{
		AnnotationKey: v1.AnnotationOwnedByProjection, AnnotationValue: "here/rule",
		LabelKey: v1.LabelOwnedByProjectionUID, LabelValue: "u-1",
		PlaceKey: v1.AnnotationPlace,
	}, tenant.Stamp())
	assert.Equal(t, mutations.Stamp{
		AnnotationKey: v1.AnnotationOwnedByClusterProjection, AnnotationValue: "rule",
		LabelKey: v1.LabelOwnedByClusterProjectionUID, LabelValue: "u-2",
		PlaceKey: v1.AnnotationPlace,
	}, platform.Stamp())
}

// stamped returns an object in the namespace that bears the stamp of the rule.
func stamped(rule owner.Identity, namespace string) *metav1.ObjectMeta {
	stamp := rule.Stamp()
	return &metav1.ObjectMeta{
		Namespace:   namespace,
		Annotations: map[string]string{stamp.AnnotationKey: stamp.AnnotationValue},
		Labels:      map[string]string{stamp.LabelKey: stamp.LabelValue},
	}
}

func TestOwns(t *testing.T) {
	reborn := tenant
	reborn.UID = "u-9"
	namesake := owner.Identity{Kind: owner.ClusterProjection, Name: "here/rule", UID: "u-1"}
	tests := map[string]struct {
		rule   owner.Identity
		object *metav1.ObjectMeta
		owns   bool
	}{
		"its own copy":                        {tenant, stamped(tenant, "here"), true},
		"its stamp elsewhere":                 {tenant, stamped(tenant, "elsewhere"), false},
		"a copy of before it came back":       {reborn, stamped(tenant, "here"), true},
		"a copy of another rule":              {tenant, stamped(owner.Identity{Kind: owner.Projection, Namespace: "here", Name: "other", UID: "u-1"}, "here"), false},
		"a copy of the other tier's namesake": {tenant, stamped(namesake, "here"), false},
		"the cluster tier anywhere":           {platform, stamped(platform, "elsewhere"), true},
		"the label without the annotation":    {tenant, &metav1.ObjectMeta{Namespace: "here", Labels: map[string]string{owner.Projection.Label: "u-1"}}, false},
		"a stranger":                          {tenant, &metav1.ObjectMeta{Namespace: "here"}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.owns, test.rule.Owns(test.object))
		})
	}
}

func TestMarkHoldsAtOnePlace(t *testing.T) {
	at := func(object *metav1.ObjectMeta, place string) *metav1.ObjectMeta {
		object.Name, object.Annotations[v1.AnnotationPlace] = "it", place
		return object
	}
	unmarked := &metav1.ObjectMeta{Namespace: "here", Annotations: map[string]string{}}
	tests := map[string]struct {
		rule            owner.Identity
		object          *metav1.ObjectMeta
		owns, elsewhere bool
	}{
		"its own place":                          {platform, at(stamped(platform, "here"), "here/it"), true, false},
		"another namespace":                      {platform, at(stamped(platform, "here"), "there/it"), false, true},
		"another name":                           {platform, at(stamped(platform, "here"), "here/other"), false, true},
		"nothing":                                {platform, at(stamped(platform, "here"), ""), false, true},
		"a confined rule's, another name":        {tenant, at(stamped(tenant, "here"), "here/other"), false, true},
		"a confined rule's, another namespace":   {tenant, at(stamped(tenant, "elsewhere"), "here/it"), false, false},
		"another rule's":                         {platform, at(stamped(tenant, "here"), "there/it"), false, false},
		"another place, without a mark":          {platform, at(unmarked, "there/it"), false, false},
		"no place, as copies of version 1 do it": {platform, stamped(platform, "here"), true, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.owns, test.rule.Owns(test.object))
			assert.Equal(t, test.elsewhere, test.rule.Elsewhere(test.object))
			assert.Equal(t, test.object.Annotations[v1.AnnotationPlace] == "here/it" && test.object.Namespace == "here", owner.IsPlaced(test.object))
		})
	}
}

func TestReleased(t *testing.T) {
	annotated := func(value string) *metav1.ObjectMeta {
		object := stamped(tenant, "here")
		object.Annotations[owner.Projection.Annotation] = value
		return object
	}
	without := stamped(tenant, "here")
	without.Annotations = nil
	tests := map[string]struct {
		rule   owner.Identity
		object *metav1.ObjectMeta
		handed bool
	}{
		"the annotation was taken off":           {tenant, without, true},
		"the annotation is still there":          {tenant, stamped(tenant, "here"), false},
		"the annotation was emptied":             {tenant, annotated(""), false},
		"the annotation names another rule":      {tenant, annotated("here/other"), false},
		"the label is another rule's":            {platform, without, false},
		"a stranger":                             {tenant, &metav1.ObjectMeta{Namespace: "here"}, false},
		"a stranger, to a rule without a uid":    {owner.Identity{Kind: owner.Projection, Namespace: "here", Name: "rule"}, &metav1.ObjectMeta{Namespace: "here"}, false},
		"it is a copy of one handed over":        {tenant, &metav1.ObjectMeta{Namespace: "here", Name: "it", Labels: without.Labels, Annotations: map[string]string{v1.AnnotationPlace: "here/other"}}, false},
		"the other tier's annotation is no word": {tenant, &metav1.ObjectMeta{Namespace: "here", Labels: without.Labels, Annotations: map[string]string{owner.ClusterProjection.Annotation: "rule"}}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.handed, test.rule.Released(test.object))
		})
	}
}
