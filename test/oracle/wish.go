package oracle

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
)

// wish is what a rule asks for.
type wish struct {
	source Place
	kind   schema.GroupKind // of the copies
	name   string           // of the copies, unless there is a nameExpression
	// nameExpression is one of the expressions that are known here, or empty.
	nameExpression string
	overlay        v1.Overlay
	content        v1.Content
	policy         v1.Policy
	// layers are what is merged with the source, and onKeyConflict is what becomes of a key with different values.
	layers        []layer
	onKeyConflict v1.KeyConflictPolicy
	// isSelection tells whether all that the rule selects becomes one copy. Then the source is the selection, and what is selected are the first layers.
	isSelection bool
	// isUnmet tells whether a selector of layers that are not optional selects nothing whose owner consents.
	isUnmet bool
	// suspended tells whether the rule only says what it would do.
	suspended bool
}

func wishOf(rule Rule) wish {
	var w wish
	var source v1.SourceRef
	var kind string
	var merge *v1.Merge
	switch r := rule.(type) {
	case *v1.Projection:
		source, kind, w.name = r.Spec.Source, r.Spec.Destination.Kind, r.Spec.Destination.Name
		w.nameExpression = r.Spec.Destination.NameExpression
		w.overlay, w.content, w.policy = r.Spec.Overlay, r.Spec.Content, r.Spec.Policy
		w.suspended, merge = r.Spec.Suspend, r.Spec.Merge
	case *v1.ClusterProjection:
		source, kind, w.name = r.Spec.Source, r.Spec.Destination.Kind, r.Spec.Destination.Name
		w.nameExpression = r.Spec.Destination.NameExpression
		w.overlay, w.content, w.policy = r.Spec.Overlay, r.Spec.Content, r.Spec.Policy
		w.suspended, merge = r.Spec.Suspend, r.Spec.Merge
	}
	if w.layers = layersOf(merge, source); merge != nil {
		w.onKeyConflict = merge.OnKeyConflict
		if source.Selector != nil {
			w.isSelection, source.Name = true, "*"
		}
	}
	w.source = Place{schema.GroupKind{Group: source.Group, Kind: source.Kind}, source.Namespace, source.Name}
	w.kind = w.source.Kind
	if kind != "" {
		w.kind = schema.GroupKind{Kind: kind}
	}
	if w.name == "" {
		w.name = source.Name
	}
	return w
}

// selects reports whether the selector selects an object with the labels.
func selects(selector *v1.NamespaceSelector, labels map[string]string) bool {
	for key, value := range selector.MatchLabels {
		if is, found := labels[key]; !found || is != value {
			return false
		}
	}
	for _, wanted := range selector.MatchExpressions {
		value, found := labels[wanted.Key]
		listed := slices.Contains(wanted.Values, value)
		holds := map[metav1.LabelSelectorOperator]bool{
			metav1.LabelSelectorOpIn:           found && listed,
			metav1.LabelSelectorOpNotIn:        !found || !listed,
			metav1.LabelSelectorOpExists:       found,
			metav1.LabelSelectorOpDoesNotExist: !found,
		}
		if !holds[wanted.Operator] {
			return false
		}
	}
	return true
}
