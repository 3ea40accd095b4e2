package plan

import (
	"cmp"
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// merger reads what a rule merges.
type merger[O owner.Object] struct {
	*Planner[O]
	rule O
	spec owner.Spec
	read Read
	merged
}

// merged is what a rule merges.
type merged struct {
	layers     []*unstructured.Unstructured
	permission policy.Permission // where the owners of all layers permit copies
	problem    policy.Problem    // why the rule wants no copy
	// first is the first one that the rule selects as a source, and whose owner consents; nil: there is none, or the rule names its source.
	first *unstructured.Unstructured
	// members are what its selectors select, and matched is how many they match.
	members []v1.SourceRef
	matched int
	// size is how many bytes all of it has, each object once. What is more than MaxMerged is not held.
	size int
	seen map[string]bool
	// leftOut reports whether an object is left out that would be merged in permissive mode.
	leftOut bool
}

// layersOf returns what the rule merges. Sources that it selects come before the layers.
func layersOf(spec owner.Spec) []v1.LayerSpec {
	if !spec.MergesSelected() {
		return spec.Merge.Layers
	}
	return append([]v1.LayerSpec{{Source: spec.Source, Optional: true}}, spec.Merge.Layers...)
}

// readMerged reads what the rule merges with the source; nil: with none. Optional layers that do not exist, or whose owner does not consent, are left
// out. That an owner does not consent counts more than that another layer is missing, or could not be read.
func (p *Planner[O]) readMerged(ctx context.Context, rule O, spec owner.Spec, object *unstructured.Unstructured, read Read) (merged, error) {
	m := merger[O]{p, rule, spec, read, merged{seen: map[string]bool{}}}
	if object != nil {
		m.count(object)
	}
	var unread, missed error
	for i, layer := range layersOf(spec) {
		missing, err := m.readLayer(ctx, layer)
		unread, missed = cmp.Or(unread, err), cmp.Or(missed, missing)
		if !m.problem.IsZero() {
			return m.merged, nil
		}
		if i == 0 && spec.MergesSelected() && len(m.layers) > 0 {
			m.first = m.layers[0]
		}
	}
	switch {
	case m.matched > v1.MaxSources:
		return m.merged, TooManySources(spec, "")
	case unread != nil:
		return m.merged, unread
	case spec.MergesSelected() && m.first == nil:
		m.problem = nothingSelected(spec, m.matched)
		return m.merged, nil
	case missed != nil:
		return m.merged, missed
	case m.size > MaxMerged && spec.Merges():
		return m.merged, TooMuch()
	default:
		return m.merged, nil
	}
}

// readLayer reads a layer, or those that a selector selects. Missing says that there is none, and that it is not optional.
func (m *merger[O]) readLayer(ctx context.Context, layer v1.LayerSpec) (missing, err error) {
	of := m.spec.OfLayer(layer)
	kind, err := m.ResolveSourceKind(ctx, of.Source)
	if err != nil {
		return nil, err
	}
	if of.Source.Selector != nil {
		isMet, err := m.readSelected(ctx, kind, of.Source)
		if err == nil && !isMet && !layer.Optional {
			missing = MissingLayer(kind, layer.Source)
		}
		return missing, err
	}
	object, problem, err := m.ReadSource(ctx, m.rule, of, kind, m.read)
	switch {
	case err != nil:
		return nil, err
	case object == nil && isMissing(problem) && !layer.Optional:
		return MissingLayer(kind, layer.Source), nil
	case object != nil && owner.IdentityOf(m.Kind, m.rule).Owns(object):
		return nil, OwnCopy(kind, layer.Source)
	case object != nil:
		problem = m.CheckConsent(of, object)
	}
	m.take(object, problem, layer.Optional)
	return nil, nil
}

// take adds an object, unless a problem keeps it from being merged.
func (m *merged) take(object *unstructured.Unstructured, problem policy.Problem, isOptional bool) {
	switch {
	case problem.IsZero():
		m.add(object)
	case isOptional:
		m.leftOut = m.leftOut || problem.Reason == v1.ReasonSourceNotProjectable
	default:
		m.problem = problem
	}
}

// add adds an object whose owner consents.
func (m *merged) add(object *unstructured.Unstructured) {
	permission, _ := policy.PermissionOf(object.GetAnnotations()) // CheckConsent has reported the error
	m.permission = m.permission.And(permission)
	if m.count(object); m.size <= MaxMerged {
		m.layers = append(m.layers, object)
	}
}

// count notes how large an object is.
func (m *merged) count(object *unstructured.Unstructured) {
	name := object.GroupVersionKind().GroupKind().String() + "/" + object.GetNamespace() + "/" + object.GetName()
	if !m.seen[name] {
		m.seen[name] = true
		m.size += source.SizeOf(object)
	}
}

// OwnCopy is the error of a rule that names its own copy as a layer.
func OwnCopy(kind source.Kind, layer v1.SourceRef) error {
	return &Error{Condition: v1.ConditionSourceResolved, Problem: policy.Problem{
		Reason:  v1.ReasonSourceNotProjectable,
		Message: "the layer " + kind.NameOf(layer) + " is a copy of this rule", Advice: "remove it from the layers, or delete it",
	}}
}

// MissingLayer is the error of a rule with a layer that does not exist and is not optional. Its event enqueues the rule.
func MissingLayer(kind source.Kind, layer v1.SourceRef) error {
	problem := policy.Problem{
		Reason: v1.ReasonSourceNotFound, Message: "the layer " + kind.NameOf(layer) + " is missing", Advice: "create it, or set optional: true",
	}
	if layer.Selector != nil {
		problem.Message = "a selector in merge.layers matches no " + kind.Kind + " in " + layer.Namespace + " whose owner consents"
		problem.Advice = "create one, or set optional: true"
	}
	return &Error{Condition: v1.ConditionSourceResolved, Transient: true, EndsDropped: true, Problem: problem}
}
