package oracle_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// unseen are copies that lack the labels of their source, or are where no world of the rule is.
var unseen = map[string]struct{ manifest, problem string }{
	"nothing": {`metadata: {namespace: w-one, name: kube-root-ca.crt}`, ""},
	"a copy without any mark": {
		`metadata: {namespace: w-one, name: bare}`, "w-one/bare is an orphan",
	},
	"a copy without the labels of its source": {
		`metadata: {namespace: w-one, name: it, annotations: {projection.sh/owned-by-projection: w-one/rule}}`, "w-one/it is an orphan",
	},
	"a copy in a namespace of somebody else": {
		`metadata: {namespace: kube-system, name: it, labels: {projection.sh/owned-by-cluster-projection-uid: u}, ` +
			`annotations: {projection.sh/owned-by-cluster-projection: w-rule}}`, "kube-system/it is an orphan",
	},
	"a copy of another world": {
		`metadata: {namespace: other, name: it, labels: {projection.sh/owned-by-cluster-projection-uid: u}, ` +
			`annotations: {projection.sh/owned-by-cluster-projection: other-rule}}`, "",
	},
}

func TestObjectsWithoutTheLabelsOfTheirSourceAreSeen(t *testing.T) {
	for name, test := range unseen {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			require.NoError(t, corev1.AddToScheme(scheme))
			require.NoError(t, v1.AddToScheme(scheme))
			object := &unstructured.Unstructured{}
			require.NoError(t, yaml.Unmarshal([]byte(test.manifest), &object.Object))
			object.SetAPIVersion("v1")
			object.SetKind("ConfigMap")
			labels := map[string]string{"world": "w"}
			namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "w-one", Labels: labels}}
			world := oracle.World{
				Reader: fake.NewClientBuilder().WithScheme(scheme).WithObjects(namespace, object).Build(),
				Labels: client.MatchingLabels(labels), Prefix: "w-",
				Kinds: []schema.GroupVersionKind{corev1.SchemeGroupVersion.WithKind("ConfigMap")},
			}
			_, problems, err := world.Problems(t.Context(), oracle.Foreign{})
			require.NoError(t, err)
			if test.problem == "" {
				assert.Empty(t, problems)
				return
			}
			assert.Contains(t, strings.Join(problems, "\n"), test.problem)
		})
	}
}

func TestSelectorsOfTheOracle(t *testing.T) {
	expressions := func(operator metav1.LabelSelectorOperator, values ...v1.LabelValue) *v1.NamespaceSelector {
		return &v1.NamespaceSelector{MatchExpressions: []v1.NamespaceSelectorRequirement{{Key: "group", Operator: operator, Values: values}}}
	}
	tests := map[string]struct {
		selector *v1.NamespaceSelector
		selected string
	}{
		"nothing asked": {&v1.NamespaceSelector{}, "blue home none red"},
		"a label":       {&v1.NamespaceSelector{MatchLabels: map[string]v1.LabelValue{"group": "red"}}, "red"},
		"In":            {expressions(metav1.LabelSelectorOpIn, "red", "blue"), "blue red"},
		"NotIn":         {expressions(metav1.LabelSelectorOpNotIn, "red"), "blue home none"},
		"Exists":        {expressions(metav1.LabelSelectorOpExists), "blue red"},
		"DoesNotExist":  {expressions(metav1.LabelSelectorOpDoesNotExist), "home none"},
		"two conditions": {&v1.NamespaceSelector{
			MatchLabels: map[string]v1.LabelValue{"group": "red"}, MatchExpressions: expressions(metav1.LabelSelectorOpNotIn, "red").MatchExpressions,
		}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := healthy(t)
			c.Namespaces = map[string]*corev1.Namespace{
				"home": {ObjectMeta: metav1.ObjectMeta{Name: "home"}},
				"none": {ObjectMeta: metav1.ObjectMeta{Name: "none"}},
				"red":  {ObjectMeta: metav1.ObjectMeta{Name: "red", Labels: map[string]string{"group": "red"}}},
				"blue": {ObjectMeta: metav1.ObjectMeta{Name: "blue", Labels: map[string]string{"group": "blue"}}},
			}
			c.rule.Spec.Destination.NamespaceSelector = test.selector
			c.rule.Spec.Destination.Name = "renamed" // so that its own namespace is a target
			var selected []string
			for _, name := range []string{"blue", "home", "none", "red"} {
				at := place(name)
				at.Name = "renamed"
				if _, wanted := oracle.Wanted(c.State, c.foreign)[at]; wanted {
					selected = append(selected, name)
				}
			}
			assert.Equal(t, test.selected, strings.Join(selected, " "))
		})
	}
}
