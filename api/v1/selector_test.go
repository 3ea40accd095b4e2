package v1_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
)

func TestNamespaceSelectorSelectsAsLabelSelectorsDo(t *testing.T) {
	expression := func(operator metav1.LabelSelectorOperator, values ...string) *v1.NamespaceSelector {
		return &v1.NamespaceSelector{MatchExpressions: []v1.NamespaceSelectorRequirement{{Key: "team", Operator: operator, Values: values}}}
	}
	teamA, teamB, none := labels.Set{"team": "a"}, labels.Set{"team": "b"}, labels.Set{"other": "a"}
	for name, test := range map[string]struct {
		selector *v1.NamespaceSelector
		want     []labels.Set
	}{
		"nil selects nothing":          {nil, nil},
		"empty selects everything":     {&v1.NamespaceSelector{}, []labels.Set{teamA, teamB, none}},
		"matchLabels":                  {&v1.NamespaceSelector{MatchLabels: map[string]string{"team": "a"}}, []labels.Set{teamA}},
		"In":                           {expression(metav1.LabelSelectorOpIn, "a", "c"), []labels.Set{teamA}},
		"NotIn selects the unlabelled": {expression(metav1.LabelSelectorOpNotIn, "a"), []labels.Set{teamB, none}},
		"Exists":                       {expression(metav1.LabelSelectorOpExists), []labels.Set{teamA, teamB}},
		"DoesNotExist":                 {expression(metav1.LabelSelectorOpDoesNotExist), []labels.Set{none}},
	} {
		t.Run(name, func(t *testing.T) {
			selector, err := metav1.LabelSelectorAsSelector(test.selector.LabelSelector())
			require.NoError(t, err)
			var selected []labels.Set
			for _, set := range []labels.Set{teamA, teamB, none} {
				if selector.Matches(set) {
					selected = append(selected, set)
				}
			}
			assert.Equal(t, test.want, selected)
		})
	}
}

// Admission and the operator agree: it refuses what the libraries of Kubernetes cannot parse, and nothing else but excess.
func TestSelectorIsAdmittedIfItParses(t *testing.T) {
	for _, test := range selectors() {
		t.Run(test.name, func(t *testing.T) {
			var selector v1.NamespaceSelector
			require.NoError(t, yaml.UnmarshalStrict([]byte(test.spec), &selector))
			_, err := metav1.LabelSelectorAsSelector(selector.LabelSelector())
			if len(test.want) == 0 || strings.Contains(test.want[0], "TooMany") {
				assert.NoError(t, err)
			} else {
				assert.Error(t, err)
			}
		})
	}
}
