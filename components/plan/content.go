package plan

import (
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
	"projection.sh/operator/mutations"
)

// correctIt is the advice on a field that cannot be applied.
const correctIt = "correct it"

// CheckRule refuses a rule that cannot be carried out whatever its source. Any error is an Error.
func (p *Planner[O]) CheckRule(rule O) error {
	spec := p.Spec(rule)
	if err := p.CheckAccount(rule); err != nil {
		return err
	}
	if err := destination.CheckContent(spec.Content); err != nil {
		return &Error{Condition: v1.ConditionDestinationWritten, Err: err, Problem: policy.Problem{
			Reason: v1.ReasonRuleInvalid, Message: "spec.content cannot be applied", Copies: policy.CopiesKept, Advice: correctIt, Cause: err.Error(),
		}}
	}
	if err := destination.CheckOverlay(rule.GetNamespace(), spec.Overlay); err != nil {
		return &Error{Condition: v1.ConditionDestinationWritten, Err: err, Problem: policy.Problem{
			Reason: v1.ReasonRuleInvalid, Message: "spec.overlay cannot be applied", Copies: policy.CopiesKept, Advice: correctIt, Cause: err.Error(),
		}}
	}
	if err := destination.CheckName(rule.GetNamespace(), spec.NameExpression); err != nil {
		return &Error{Condition: v1.ConditionDestinationWritten, Err: err, Problem: policy.Problem{
			Reason: v1.ReasonRuleInvalid, Message: "spec.destination.nameExpression cannot be applied", Copies: policy.CopiesKept, Advice: correctIt,
			Cause: err.Error(),
		}}
	}
	ofTenant := p.Kind.Namespaced && spec.Account == nil // the copy is written with the permissions of the operator
	for _, problem := range []policy.Problem{
		policy.CheckOverlay(ofTenant, kindOfSource(spec), spec.KindOfCopies(), spec.Overlay.Fields),
		policy.CheckFields(ofTenant, spec.Source, spec.Content.Fields),
		policy.CheckAdoption(ofTenant, spec.Policy.OnConflict),
		policy.CheckRecreation(ofTenant, spec.Policy),
	} {
		if !problem.IsZero() {
			return &Error{Condition: v1.ConditionDestinationWritten, Problem: problem}
		}
	}
	return nil
}

// kindOfSource returns the kind of the source, or Secret if one is among the layers: expressions must not quote it.
func kindOfSource(spec owner.Spec) schema.GroupKind {
	if spec.HasSecret() {
		return schema.GroupKind{Kind: "Secret"}
	}
	return spec.Source.GroupKind()
}

// CheckConsent decides whether the source may be copied as the spec says.
func (p *Planner[O]) CheckConsent(spec owner.Spec, object *unstructured.Unstructured) policy.Problem {
	problem := p.Mode.CheckSource(object)
	for _, cluster := range p.exportedTo(spec) {
		if problem.IsZero() {
			problem = policy.CheckExport(object, cluster)
		}
	}
	if problem.IsZero() {
		problem = checkPublicKeys(spec, object.GetAnnotations())
	}
	if !problem.IsZero() && spec.Source.IsRemote() {
		problem.Message = "in the cluster " + spec.Source.Cluster + ", " + problem.Message
	}
	return problem
}

// exportedTo returns the clusters into which the source is copied out of its own.
func (p *Planner[O]) exportedTo(spec owner.Spec) (clusters []policy.Export) {
	if spec.Source.IsRemote() {
		clusters = append(clusters, policy.Export{Identity: p.HubID})
	}
	if p.destination != "" {
		clusters = append(clusters, policy.Export{Identity: p.destination, Name: p.Kind.Cluster})
	}
	return clusters
}

// Consents reports whether a source with these annotations may be copied as the spec says, as far as its owner has a say.
func (p *Planner[O]) Consents(spec owner.Spec, annotations map[string]string) bool {
	for _, cluster := range p.exportedTo(spec) {
		if !policy.MayExport(annotations, cluster.Identity) {
			return false
		}
	}
	return p.Mode.Consents(annotations) && DeclaresKeys(spec, annotations)
}

// DeclaresKeys reports whether a source with these annotations declares the keys public that are copied into a ConfigMap.
func DeclaresKeys(spec owner.Spec, annotations map[string]string) bool {
	problem := checkPublicKeys(spec, annotations)
	return problem.IsZero()
}

func checkPublicKeys(spec owner.Spec, annotations map[string]string) policy.Problem {
	return policy.CheckPublicKeys(spec.Source, spec.CopyKind, spec.Content.Data, annotations)
}

// unrendered is the error of a rule of whose source no copy can be made. The errors of filters quote keys and no values; others may
// quote the source.
func unrendered(kind source.Kind, spec owner.Spec, err error) error {
	ref := spec.Source
	name := kind.NameOf(ref)
	if layer, ok := errors.AsType[*destination.LayerError](err); ok {
		name = "the layer " + layer.Kind + " " + layer.Namespace + "/" + layer.Name
	}
	if incomplete, ok := errors.AsType[*mutations.MissingKeysError](err); ok {
		return missingKeys(name, incomplete.Keys, err)
	}
	if invalid, ok := errors.AsType[*mutations.InputError](err); ok {
		return &Error{Condition: v1.ConditionDestinationWritten, Err: err, Problem: policy.Problem{
			Reason: v1.ReasonRuleInvalid, Message: "this rule cannot be applied to " + name, Copies: policy.CopiesKept, Advice: correctIt,
			Cause: invalid.Message,
		}}
	}
	if failed, ok := errors.AsType[*destination.RenderError](err); ok {
		return &Error{Condition: v1.ConditionDestinationWritten, Err: err, Retry: true, Problem: policy.Problem{
			Reason: v1.ReasonRenderFailed, Message: "no copy can be made of " + name, Copies: policy.CopiesKept, Advice: "the operator retries",
			Cause: failed.Message,
		}}
	}
	if refused, ok := errors.AsType[*mutations.SourceError](err); ok {
		return &Error{Condition: v1.ConditionDestinationWritten, Err: err, Problem: policy.Problem{
			Reason: v1.ReasonRenderFailed, Message: "no copy can be made of " + name, Copies: policy.CopiesKept, Advice: "correct the source or this rule",
			Cause: refused.Message,
		}}
	}
	return Failed(v1.ConditionDestinationWritten, policy.Problem{
		Reason:  v1.ReasonDestinationWriteFailed,
		Message: "no copy can be made of " + name, Copies: policy.CopiesKept, Advice: "correct the source",
	}, redacted(spec, err))
}

// missingKeys is the error of a rule whose source lacks keys that the rule names. The event of the source enqueues the rule.
func missingKeys(name string, keys []string, err error) error {
	message := name + " has no key " + keys[0] + " yet"
	if len(keys) > 1 {
		message = name + " has no keys " + strings.Join(keys, ", ") + " yet"
	}
	return &Error{Condition: v1.ConditionSourceResolved, Err: err, Transient: true, Problem: policy.Problem{
		Reason: v1.ReasonSourceIncomplete, Message: message, Copies: "the copies follow when it does",
	}}
}

// redacted returns the error without words of a Secret, if one is among what the rule copies.
func redacted(spec owner.Spec, err error) error {
	if spec.HasSecret() {
		return apierr.RedactSecret(err)
	}
	return err
}
