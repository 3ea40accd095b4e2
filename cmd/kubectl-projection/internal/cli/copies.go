package cli

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
)

// copies reports whether the object, which has the labels, is a source or a layer of the rule.
func copies(rule access.Rule, object forecast.Object, labelled map[string]string) bool {
	return rule.SourceCluster == "" && matches(rule.Spec.Source, object, labelled) ||
		slices.ContainsFunc(rule.Spec.Merge.Layers, func(layer v1.LayerSpec) bool { return matches(layer.Source, object, labelled) })
}

func matches(ref v1.SourceRef, object forecast.Object, labelled map[string]string) bool {
	if ref.Group != object.Group || ref.Kind != object.Kind || ref.Namespace != object.Namespace {
		return false
	}
	if ref.Selector == nil {
		return ref.Name == object.Name
	}
	selector, err := metav1.LabelSelectorAsSelector(ref.Selector.LabelSelector())
	return err == nil && selector.Matches(labels.Set(labelled))
}
