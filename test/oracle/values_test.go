package oracle_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

func TestValuesOfTargets(t *testing.T) {
	c := healthy(t)
	c.rule.Spec.Overlay.Fields = []v1.OverlayField{
		oracle.FieldOfTarget, oracle.FieldOfSource, oracle.FieldIfRed, oracle.FieldOfData, oracle.FieldOfSome,
	}
	problems := strings.Join(oracle.Problems(c.State, c.foreign), "\n")
	for _, problem := range []string{"one/settings: the labels is", "one/settings: the annotations is", "two/settings: the content is"} {
		assert.Contains(t, problems, problem)
	}
	for _, namespace := range []string{"one", "two"} {
		set(c.at(namespace), "settings", "metadata", "labels", "of")
		set(c.at(namespace), namespace+"/red", "metadata", "annotations", "value")
		set(c.at(namespace), "yes", "metadata", "annotations", "red")
		set(c.at(namespace), "warm", "metadata", "annotations", "warmth")
		set(c.at(namespace), namespace, "data", "value")
	}
	assert.Empty(t, oracle.Problems(c.State, c.foreign))

	c.Namespaces["two"].Labels["group"] = "blue"
	c.rule.Spec.Destination = v1.ClusterProjectionDestination{Namespaces: []v1.NamespaceName{"one", "two"}}
	problems = strings.Join(oracle.Problems(c.State, c.foreign), "\n")
	assert.Contains(t, problems, "two/settings: the annotations is")
	assert.NotContains(t, problems, "one/settings")
}

func TestTargetForWhichNothingCanBeMadeKeepsItsCopy(t *testing.T) {
	c := healthy(t)
	c.rule.Spec.Overlay.Fields = []v1.OverlayField{oracle.FieldOfSome}
	c.rule.Spec.Destination = v1.ClusterProjectionDestination{Namespaces: []v1.NamespaceName{"one", "two"}}
	set(c.at("one"), "warm", "metadata", "annotations", "warmth")
	c.Namespaces["two"].Labels["group"] = ""
	problems := strings.Join(oracle.Problems(c.State, c.foreign), "\n")
	assert.Contains(t, problems, "DestinationWritten is True/Projected (), not False/RenderFailed")
	assert.NotContains(t, problems, "two/settings", "its copy stays as it is")

	c.rule.Status.NamespacesWritten, c.rule.Status.NamespacesFailed = new(int32(1)), new(int32(1))
	c.rule.Status.Failures = []v1.NamespaceFailure{{Namespace: "two", Reason: v1.ReasonRenderFailed}}
	c.rule.Status.FailureReasons = []v1.ReasonCount{{Reason: v1.ReasonRenderFailed, Count: 1}}
	for _, condition := range []string{v1.ConditionDestinationWritten, v1.ConditionReady, v1.ConditionStalled} {
		meta.SetStatusCondition(&c.rule.Status.Conditions, metav1.Condition{
			Type: condition, Status: map[bool]metav1.ConditionStatus{true: metav1.ConditionTrue, false: metav1.ConditionFalse}[condition == v1.ConditionStalled],
			Reason: v1.ReasonRenderFailed, ObservedGeneration: 3,
		})
	}
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
}
