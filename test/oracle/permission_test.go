package oracle_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// permit lets the owner of the source permit some namespaces.
func (c *cluster) permit(says string) {
	for _, source := range []*unstructured.Unstructured{c.foreign[place("home")], c.at("home")} {
		set(source, says, "metadata", "annotations", v1.AnnotationProjectable)
	}
}

func TestSelectedNamespaceThatIsNotPermittedIsSkipped(t *testing.T) {
	c := healthy(t)
	c.permit("namespaces: team in (shop, core), group=red")
	c.Namespaces["one"].Labels["team"] = "core"
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "one/settings: the annotations is", "it can be copied further")
	set(c.at("one"), "false", "metadata", "annotations", v1.AnnotationProjectable)
	problems := strings.Join(oracle.Problems(c.State, c.foreign), "\n")
	assert.Contains(t, problems, "two/settings is stale")
	assert.Contains(t, problems, "namespacesSkipped is 0, not 1")
	delete(c.Objects, place("two"))
	c.rule.Status.NamespacesTargeted, c.rule.Status.NamespacesWritten, c.rule.Status.NamespacesSkipped = new(int32(1)), new(int32(1)), new(int32(1))
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
	for _, malformed := range []string{"namespaces:", "Namespaces: team=core", "namespaces: team notin (shop,)", "namespaces: team="} {
		c.permit(malformed)
		assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "not False/SourceNotProjectable", malformed)
	}
	c.permit("namespaces: team in shop")
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "SourceResolved is True/Resolved (), not False/SourceNotProjectable")
}

func TestListedNamespaceThatIsNotPermittedIsAFailureAndKeepsNoCopy(t *testing.T) {
	c := healthy(t)
	c.rule.Spec.Destination = v1.ClusterProjectionDestination{Namespaces: []string{"one", "two"}}
	c.permit("namespaces: kubernetes.io/metadata.name=one")
	c.Namespaces["one"].Labels["kubernetes.io/metadata.name"] = "one"
	set(c.at("one"), "false", "metadata", "annotations", v1.AnnotationProjectable)
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "two/settings is stale")
	delete(c.Objects, place("two"))
	for i := range c.rule.Status.Conditions[1:] {
		condition := &c.rule.Status.Conditions[i+1]
		condition.Status, condition.Reason = metav1.ConditionFalse, v1.ReasonDestinationNotPermitted
	}
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "the condition Stalled is missing")
	stalled := c.rule.Status.Conditions[2]
	stalled.Type, stalled.Status = v1.ConditionStalled, metav1.ConditionTrue
	c.rule.Status.Conditions = append(c.rule.Status.Conditions, stalled)
	c.rule.Status.NamespacesWritten, c.rule.Status.NamespacesFailed = new(int32(1)), new(int32(1))
	c.rule.Status.Failures = []v1.NamespaceFailure{{Namespace: "two", Reason: v1.ReasonDestinationNotPermitted}}
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "failureReasons is [], not [{DestinationNotPermitted 1}]")
	c.rule.Status.FailureReasons = []v1.ReasonCount{{Reason: v1.ReasonDestinationNotPermitted, Count: 1}}
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
}
