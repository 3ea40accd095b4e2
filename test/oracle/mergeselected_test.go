package oracle_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// recordOf returns a record of the consent of the owner.
func recordOf(source string) string {
	sum := sha256.Sum256([]byte(source))
	return "selected:" + hex.EncodeToString(sum[:10])
}

// bundling returns a healthy cluster whose rule merges the one source that it selects, and these layers.
func bundling(t *testing.T, layers ...v1.Layer) *cluster {
	t.Helper()
	c := healthy(t)
	c.rule.Spec.Source.Name, c.rule.Spec.Source.Selector = "", &v1.SourceSelector{MatchLabels: map[string]string{"color": "red"}}
	c.rule.Spec.Destination.Name, c.rule.Spec.Merge = "settings", &v1.Merge{Layers: layers}
	c.rule.Annotations[v1.AnnotationConsentingSource] = recordOf("ConfigMap/home/one")
	c.rule.Status.Sources = new(int32(1))
	delete(c.foreign, place("home"))
	delete(c.Objects, place("home"))
	c.foreign.Note(c.put(strings.Replace(source, "name: settings", "name: one", 1)))
	c.put(strings.ReplaceAll(copied, "$NAMESPACE", "home"))
	c.rule.Status.NamespacesTargeted, c.rule.Status.NamespacesWritten = new(int32(3)), new(int32(3))
	for _, namespace := range []string{"home", "one", "two"} {
		set(c.at(namespace), "ConfigMap/home/*", "metadata", "annotations", v1.AnnotationSource)
		set(c.at(namespace), "ConfigMap/home/one", "metadata", "annotations", v1.AnnotationLayers)
	}
	return c
}

func (c *cluster) problems() string { return strings.Join(oracle.Problems(c.State, c.foreign), "\n") }

// says has the conditions of the rule say that.
func (c *cluster) says(status metav1.ConditionStatus, resolved, written string) {
	conditions := c.rule.Status.Conditions
	conditions[0].Status, conditions[0].Reason, conditions[2].Status, conditions[2].Reason = status, resolved, status, resolved
	conditions[1].Status, conditions[1].Reason = metav1.ConditionUnknown, written
}

func TestSelectionThatIsMerged(t *testing.T) {
	c := bundling(t)
	assert.Empty(t, c.problems())
	c.foreign.Note(c.put(`{apiVersion: v1, kind: ConfigMap, metadata: {name: two, namespace: home, labels: {color: red},
annotations: {projection.sh/projectable: "true"}}, data: {more: "1"}}`))
	problems := c.problems()
	assert.Contains(t, problems, "sources is 1, not 2")
	assert.Contains(t, problems, "one/settings: the layers that it names is ConfigMap/home/one, not ConfigMap/home/one,ConfigMap/home/two")
	assert.Contains(t, problems, "one/settings: the content")
}

func TestValuesOfWhatIsMergedAreThoseOfTheFirstSource(t *testing.T) {
	c := bundling(t)
	c.rule.Spec.Overlay.Fields = []v1.OverlayField{oracle.FieldOfSource}
	assert.Contains(t, c.problems(), "of:one")
	for _, namespace := range []string{"home", "one", "two"} {
		set(c.at(namespace), "one", "metadata", "labels", "of")
	}
	assert.Empty(t, c.problems())
}

func TestCopyOfWhatIsMergedNotesNoUID(t *testing.T) {
	c := bundling(t)
	set(c.at("one"), "u-7", "metadata", "annotations", v1.AnnotationSourceUID)
	assert.Contains(t, c.problems(), "has the uid u-7 of its source")
}

func TestNothingIsSelectedToMerge(t *testing.T) {
	c := bundling(t)
	delete(c.foreign, oracle.Place{Kind: place("").Kind, Namespace: "home", Name: "one"})
	delete(c.Objects, oracle.Place{Kind: place("").Kind, Namespace: "home", Name: "one"})
	assert.Contains(t, c.problems(), "one/settings is stale")
	for _, namespace := range []string{"home", "one", "two"} {
		delete(c.Objects, place(namespace))
	}
	c.rule.Status.Sources, c.rule.Status.DestinationName = new(int32(0)), ""
	c.rule.Status.NamespacesTargeted, c.rule.Status.NamespacesWritten = new(int32(0)), new(int32(0))
	assert.Empty(t, c.problems())
	c.says(metav1.ConditionFalse, v1.ReasonSourceDeleted, v1.ReasonSourceNotResolved)
	assert.Contains(t, c.problems(), "SourceResolved is False/SourceDeleted")
}

func TestCopiesOfWhatWasSelectedAreRetained(t *testing.T) {
	c := bundling(t)
	c.rule.Spec.Policy.Retain = []v1.RetainCause{v1.RetainSourceGone}
	delete(c.foreign, oracle.Place{Kind: place("").Kind, Namespace: "home", Name: "one"})
	delete(c.Objects, oracle.Place{Kind: place("").Kind, Namespace: "home", Name: "one"})
	assert.NotContains(t, c.problems(), "stale")
	c.foreign.Note(c.put(`{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: home}}`))
	assert.Contains(t, c.problems(), "one/settings is stale", "the owner of what it names does not consent")
}

// A layer that is missing leaves the copies as they are, unless an owner denies what they name, or they are not wanted in a namespace any more.
func TestMissingLayer(t *testing.T) {
	missing := v1.Layer{Namespace: "home", Name: "missing"}
	stuck := func(t *testing.T) *cluster {
		t.Helper()
		c := bundling(t, missing)
		c.says(metav1.ConditionFalse, v1.ReasonSourceNotFound, v1.ReasonSourceNotResolved)
		unstructured.RemoveNestedField(c.at("one").Object, "data")
		delete(c.Objects, place("two"))
		return c
	}
	assert.Empty(t, stuck(t).problems())

	c := stuck(t)
	c.says(metav1.ConditionTrue, v1.ReasonResolved, v1.ReasonProjected)
	assert.Contains(t, c.problems(), "SourceResolved is True/Resolved")

	c = stuck(t)
	c.Namespaces["one"].Labels["group"] = "blue"
	assert.Contains(t, c.problems(), "one/settings is stale")

	c = stuck(t)
	set(c.at("one"), "ConfigMap/home/one,ConfigMap/home/two", "metadata", "annotations", v1.AnnotationLayers)
	c.foreign.Note(c.put(`{apiVersion: v1, kind: ConfigMap, metadata: {name: two, namespace: home, labels: {color: red},
annotations: {projection.sh/projectable: "false"}}}`))
	assert.Contains(t, c.problems(), "one/settings is stale")
	set(c.at("one"), "ConfigMap/home/one", "metadata", "annotations", v1.AnnotationLayers)
	assert.NotContains(t, c.problems(), "one/settings is stale")

	c = stuck(t)
	for _, namespace := range []string{"home", "one"} {
		delete(c.Objects, place(namespace))
	}
	c.rule.Annotations[v1.AnnotationWrittenKinds], c.rule.Finalizers = "Secret", nil
	assert.Empty(t, c.problems(), "of copies that were never written, nothing is recorded")

	c = stuck(t)
	c.rule.Finalizers = nil
	assert.Contains(t, c.problems(), "the number of finalizers is 0, not 1")

	c = stuck(t)
	c.rule.Spec.Merge.Layers[0].Optional = true
	assert.Contains(t, c.problems(), "two/settings is lost")
}
