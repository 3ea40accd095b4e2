package oracle_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

const source = `
apiVersion: v1
kind: ConfigMap
metadata: {namespace: home, name: settings, labels: {color: red}, annotations: {projection.sh/projectable: "true"}}
data: {size: "1"}
`

// copied is what becomes of the source in the namespace.
const copied = `
apiVersion: v1
kind: ConfigMap
metadata:
  namespace: $NAMESPACE
  name: settings
  labels: {color: red, team: core, projection.sh/owned-by-cluster-projection-uid: u-1, theirs-label: "1"}
  annotations: {projection.sh/owned-by-cluster-projection: rule, projection.sh/content-hash: "123"}
data: {size: "1", theirs-entry: "2"}
`

const rule = `
metadata:
  name: rule
  uid: u-1
  generation: 3
  finalizers: [projection.sh/cluster-finalizer]
  annotations: {projection.sh/written-kinds: ConfigMap}
spec:
  source: {kind: ConfigMap, namespace: home, name: settings}
  destination: {namespaceSelector: {matchLabels: {group: red}}}
  overlay: {labels: {team: core}}
status:
  observedGeneration: 3
  destinationName: settings
  namespacesTargeted: 2
  namespacesWritten: 2
  namespacesFailed: 0
  conditions:
  - {type: SourceResolved, status: "True", reason: Resolved, observedGeneration: 3}
  - {type: DestinationWritten, status: "True", reason: Projected, observedGeneration: 3}
  - {type: Ready, status: "True", reason: Projected, observedGeneration: 3}
`

// cluster is a state with what is no copy in it.
type cluster struct {
	t *testing.T
	oracle.State
	rule    *v1.ClusterProjection
	foreign oracle.Foreign
}

// healthy returns a cluster with a source and a rule that has a copy in the namespaces one and two.
func healthy(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t, foreign: oracle.Foreign{}, rule: &v1.ClusterProjection{}}
	c.Namespaces = map[string]*corev1.Namespace{}
	c.Objects = map[oracle.Place]*unstructured.Unstructured{}
	for name, group := range map[string]string{"home": "red", "one": "red", "two": "red", "three": ""} {
		c.Namespaces[name] = &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"group": group}}}
	}
	require.NoError(t, yaml.Unmarshal([]byte(rule), c.rule))
	c.Rules = []oracle.Rule{c.rule}
	c.foreign.Note(c.put(source))
	c.put(strings.ReplaceAll(copied, "$NAMESPACE", "one"))
	c.put(strings.ReplaceAll(copied, "$NAMESPACE", "two"))
	return c
}

func (c *cluster) put(manifest string) *unstructured.Unstructured {
	c.t.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(c.t, yaml.Unmarshal([]byte(manifest), &object.Object))
	c.Objects[oracle.PlaceOf(object)] = object
	return object.DeepCopy()
}

func (c *cluster) at(namespace string) *unstructured.Unstructured { return c.Objects[place(namespace)] }

func place(namespace string) oracle.Place {
	return oracle.Place{Kind: schema.GroupKind{Kind: "ConfigMap"}, Namespace: namespace, Name: "settings"}
}

func set(object *unstructured.Unstructured, value string, path ...string) {
	if err := unstructured.SetNestedField(object.Object, value, path...); err != nil {
		panic(err)
	}
}

func TestHealthyClusterHasNoProblems(t *testing.T) {
	c := healthy(t)
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
}

func TestCopiesMayNameTheirPlace(t *testing.T) {
	c := healthy(t)
	set(c.at("one"), "one/settings", "metadata", "annotations", v1.AnnotationPlace)
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
}

func TestCopiesMayNameTheirSource(t *testing.T) {
	c := healthy(t)
	set(c.at("one"), "ConfigMap/home/settings", "metadata", "annotations", v1.AnnotationSource)
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
}

func TestWhatIsNotChosenIsNotCopied(t *testing.T) {
	c := healthy(t)
	c.rule.Spec.Content.Labels.Exclude = []string{"col*"}
	problems := strings.Join(oracle.Problems(c.State, c.foreign), "\n")
	assert.Contains(t, problems, "one/settings: the labels is")

	for _, namespace := range []string{"one", "two"} {
		unstructured.RemoveNestedField(c.at(namespace).Object, "metadata", "labels", "color")
	}
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
	set(c.at("one"), oracle.TheirValue, "metadata", "labels", "color")
	assert.Empty(t, oracle.Problems(c.State, c.foreign), "what a third party sets stays")

	c.rule.Spec.Content.Labels.Include = []string{"other"}
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
	c.rule.Spec.Content.Labels = v1.KeyFilter{}
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "two/settings: the labels is")
}

func TestKeysAreChosenAndRenamed(t *testing.T) {
	c := healthy(t)
	c.rule.Spec.Content.Data = v1.DataFilter{Include: []string{"s*", "none*"}, Rename: []v1.KeyRename{{Pattern: "s(.*)", To: "S$1"}}}
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "one/settings: the content is")
	for _, namespace := range []string{"one", "two"} {
		set(c.at(namespace), "1", "data", "Size")
		unstructured.RemoveNestedField(c.at(namespace).Object, "data", "size")
	}
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
	set(c.at("two"), oracle.TheirValue, "data", "size")
	assert.Empty(t, oracle.Problems(c.State, c.foreign), "what a third party sets stays")
	c.rule.Spec.Content.Data = v1.DataFilter{Exclude: []string{"size"}}
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "one/settings: the content is")
}

func TestFieldsThatAreNotCopiedHaveAnyValue(t *testing.T) {
	c := healthy(t)
	c.rule.Spec.Content.Fields.Exclude = []string{"data.size", "none.at.all"}
	set(c.at("one"), "9", "data", "size")
	unstructured.RemoveNestedField(c.at("two").Object, "data", "size")
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
	set(c.at("one"), "9", "data", "left")
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "one/settings: the content is")
}

func TestEveryFaultIsSeen(t *testing.T) {
	tests := map[string]struct {
		fault   func(*cluster)
		problem string
	}{
		"a lost copy":    {func(c *cluster) { delete(c.Objects, place("two")) }, "two/settings is lost"},
		"a stale value":  {func(c *cluster) { set(c.at("one"), "9", "data", "size") }, "the content is"},
		"a key too much": {func(c *cluster) { set(c.at("one"), "9", "data", "left") }, "the content is"},
		"a stale label":  {func(c *cluster) { set(c.at("one"), "blue", "metadata", "labels", "color") }, "the labels"},
		"another uid": {func(c *cluster) {
			set(c.at("one"), "u-0", "metadata", "labels", v1.LabelOwnedByClusterProjectionUID)
		}, "the labels"},
		"an unstamped hash": {func(c *cluster) {
			set(c.at("one"), "", "metadata", "annotations", v1.AnnotationContentHash)
		}, "no content hash"},
		"consent that travels": {func(c *cluster) {
			set(c.at("one"), "true", "metadata", "annotations", v1.AnnotationProjectable)
		}, "the annotations"},
		"a second owner": {func(c *cluster) {
			set(c.at("one"), "one/p", "metadata", "annotations", v1.AnnotationOwnedByProjection)
		}, "the annotations"},
		"another source's name": {func(c *cluster) {
			set(c.at("one"), "ConfigMap/elsewhere/settings", "metadata", "annotations", v1.AnnotationSource)
		}, "the source that it names"},
		"an owner reference": {func(c *cluster) { c.at("one").SetOwnerReferences([]metav1.OwnerReference{{Name: "x"}}) }, "the owner references"},
		"an orphan": {func(c *cluster) {
			c.put(strings.ReplaceAll(copied, "cluster-projection: rule", "cluster-projection: gone"))
		}, "is an orphan"},
		"a copy of a copy": {func(c *cluster) {
			set(c.at("one"), "two/settings", "metadata", "annotations", v1.AnnotationPlace)
		}, "is an orphan"},
		"a copy too many":      {func(c *cluster) { c.Namespaces["two"].Labels = nil }, "two/settings is stale"},
		"a copy over a source": {func(c *cluster) { c.put(strings.ReplaceAll(copied, "$NAMESPACE", "home")) }, "home/settings is no copy, and was changed"},
		"a touched source":     {func(c *cluster) { set(c.at("home"), "9", "metadata", "resourceVersion") }, "home/settings is no copy, and was changed"},
		"a deleted stranger":   {func(c *cluster) { delete(c.Objects, place("home")) }, "home/settings is no copy, and was deleted"},
		"a veto passed over": {func(c *cluster) {
			set(c.foreign[place("home")], "false", "metadata", "annotations", v1.AnnotationProjectable)
		}, "one/settings is stale"},
		"a rule that stays":     {func(c *cluster) { c.rule.DeletionTimestamp = &metav1.Time{} }, "ClusterProjection rule has not ended"},
		"a namespace that ends": {func(c *cluster) { c.Namespaces["three"].DeletionTimestamp = &metav1.Time{} }, "three has not ended"},
		"a false condition":     {func(c *cluster) { c.rule.Status.Conditions[2].Status = metav1.ConditionFalse }, "Ready is False/Projected"},
		"a false alarm": {func(c *cluster) {
			stalled := c.rule.Status.Conditions[2]
			stalled.Type = v1.ConditionStalled
			c.rule.Status.Conditions = append(c.rule.Status.Conditions, stalled)
		}, "it says that it is stalled, and is not"},
		"a missing condition":  {func(c *cluster) { c.rule.Status.Conditions = c.rule.Status.Conditions[:2] }, "the condition Ready is missing"},
		"an old condition":     {func(c *cluster) { c.rule.Status.Conditions[0].ObservedGeneration = 2 }, "SourceResolved's observedGeneration"},
		"an old generation":    {func(c *cluster) { c.rule.Status.ObservedGeneration = 2 }, "observedGeneration is 2"},
		"a false total":        {func(c *cluster) { c.rule.Status.NamespacesTargeted = new(int32(1)) }, "namespacesTargeted is 1, not 2"},
		"a false count":        {func(c *cluster) { c.rule.Status.NamespacesWritten = new(int32(1)) }, "namespacesWritten is 1, not 2"},
		"no count":             {func(c *cluster) { c.rule.Status.NamespacesFailed = nil }, "nothing is counted"},
		"a false failure":      {func(c *cluster) { c.rule.Status.Failures = []v1.NamespaceFailure{{Namespace: "one"}} }, "failures is"},
		"a kind left recorded": {func(c *cluster) { c.rule.Annotations[v1.AnnotationWrittenKinds] = "ConfigMap,Secret" }, "the record of kinds"},
		"a lost finalizer":     {func(c *cluster) { c.rule.Finalizers = nil }, "the number of finalizers"},
		"a false name":         {func(c *cluster) { c.rule.Status.DestinationName = "old" }, "destinationName"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := healthy(t)
			test.fault(c)
			assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), test.problem)
		})
	}
}

func TestForeignObjectInTheWayIsAConflictAndKeepsTheOldCopy(t *testing.T) {
	c := healthy(t)
	c.rule.Spec.Destination.Name = "renamed"
	foreign := strings.ReplaceAll(strings.ReplaceAll(source, "settings", "renamed"), "home", "one")
	c.foreign.Note(c.put(foreign))
	delete(c.Objects, place("two"))
	c.put(strings.NewReplacer("$NAMESPACE", "two", "name: settings", "name: renamed").Replace(copied))
	c.put(strings.NewReplacer("$NAMESPACE", "home", "name: settings", "name: renamed").Replace(copied))
	for i := range c.rule.Status.Conditions[1:] {
		condition := &c.rule.Status.Conditions[i+1]
		condition.Status, condition.Reason = metav1.ConditionFalse, v1.ReasonDestinationConflict
	}
	c.rule.Status.DestinationName = "renamed"
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "the condition Stalled is missing")
	stalled := c.rule.Status.Conditions[2]
	stalled.Type, stalled.Status = v1.ConditionStalled, metav1.ConditionTrue
	c.rule.Status.Conditions = append(c.rule.Status.Conditions, stalled)
	c.rule.Status.NamespacesTargeted, c.rule.Status.NamespacesFailed = new(int32(3)), new(int32(1))
	c.rule.Status.Failures = []v1.NamespaceFailure{{Namespace: "one", Reason: v1.ReasonDestinationConflict}}
	c.rule.Status.FailureReasons = []v1.ReasonCount{{Reason: v1.ReasonDestinationConflict, Count: 1}}
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
}

func TestRuleThatItsNamespaceHasLeftBehindKeepsItsCopy(t *testing.T) {
	c := healthy(t)
	left := &v1.Projection{}
	require.NoError(t, yaml.Unmarshal([]byte(rule), left))
	left.Namespace, left.Spec.Overlay, left.Finalizers = "gone", c.rule.Spec.Overlay, []string{v1.FinalizerProjection}
	c.Rules = append(c.Rules, left)
	c.put(strings.NewReplacer("$NAMESPACE", "gone", "cluster-projection: rule", "projection: gone/rule", "cluster-projection-uid", "projection-uid").Replace(copied))
	assert.Empty(t, oracle.Problems(c.State, c.foreign))

	delete(c.Objects, place("gone"))
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "Ready is True/Projected")
}
