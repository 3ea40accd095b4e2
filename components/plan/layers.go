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

// merged is what a rule merges with its source.
type merged struct {
	layers     []*unstructured.Unstructured
	permission policy.Permission // where the owners of all layers permit copies
	problem    policy.Problem    // why the rule wants no copy
}

// deniedLayer returns why the owner of a layer keeps a rule whose source does not exist from having copies; zero: none is known to do so.
func (p *Planner[O]) deniedLayer(ctx context.Context, rule O, spec owner.Spec, read Read) policy.Problem {
	found, err := p.readLayers(ctx, rule, spec, read)
	if err != nil {
		return policy.Problem{}
	}
	return found.problem
}

// readLayers reads the layers of the rule. Optional ones that do not exist, or whose owner does not consent, are left out. That an owner does not
// consent counts more than that another layer is missing.
func (p *Planner[O]) readLayers(ctx context.Context, rule O, spec owner.Spec, read Read) (found merged, err error) {
	var missed error
	for _, layer := range spec.Merge.Layers {
		of := spec.OfLayer(layer)
		kind, err := p.ResolveSourceKind(ctx, of.Source)
		if err != nil {
			return merged{}, err
		}
		object, missing, err := p.ReadSource(ctx, rule, of, kind, read)
		if err != nil {
			return merged{}, err
		}
		problem := missing
		if object != nil {
			problem = p.CheckConsent(of, object)
		}
		switch {
		case problem.IsZero():
			permission, _ := policy.PermissionOf(object.GetAnnotations()) // CheckConsent has reported the error
			found.layers, found.permission = append(found.layers, object), found.permission.And(permission)
		case layer.Optional:
		case !missing.IsZero():
			missed = cmp.Or(missed, MissingLayer(kind, layer.Source))
		default:
			return merged{problem: problem}, nil
		}
	}
	return found, missed
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
	return &Error{Condition: v1.ConditionSourceResolved, Transient: true, Problem: problem}
}
