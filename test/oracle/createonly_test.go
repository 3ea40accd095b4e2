package oracle_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

func TestCopyThatKeepsItsContentHasAny(t *testing.T) {
	c := healthy(t)
	for _, role := range []string{"one", "two"} {
		set(c.at(role), "ConfigMap/home/settings", "metadata", "annotations", v1.AnnotationSource)
	}
	set(c.at("one"), "9", "data", "size")
	set(c.at("one"), "9", "data", "more")
	set(c.at("one"), "blue", "metadata", "labels", "color")
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "one/settings: the content is")
	c.rule.Spec.Policy.Updates = v1.UpdateCreateOnly
	assert.Empty(t, oracle.Problems(c.State, c.foreign))

	set(c.at("one"), "u-0", "metadata", "annotations", v1.AnnotationSourceUID)
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "one/settings: the uid of the source is u-0")
	c.rule.Spec.Policy.Retain = []v1.RetainCause{v1.RetainSourceGone}
	assert.NotContains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "one/settings")
	c.rule.Spec.Policy.Retain = nil
	unstructured.RemoveNestedField(c.at("one").Object, "metadata", "annotations", v1.AnnotationSourceUID)

	c.permit("namespaces: group=red")
	problems := strings.Join(oracle.Problems(c.State, c.foreign), "\n")
	assert.Contains(t, problems, "one/settings: the opt-out is")
	assert.Contains(t, problems, "two/settings: the opt-out is")
	c.permit("true")
	set(c.at("two"), "u-0", "metadata", "labels", v1.LabelOwnedByClusterProjectionUID)
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "two/settings: the uid of the rule is u-0")
}

func TestCopyOfAnotherSourceKeepsNothing(t *testing.T) {
	c := healthy(t)
	c.rule.Spec.Policy.Updates = v1.UpdateCreateOnly
	set(c.at("one"), "ConfigMap/elsewhere/settings", "metadata", "annotations", v1.AnnotationSource)
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "one/settings: the source that it names")
	delete(c.Objects, place("one"))
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "one/settings is lost")
}
