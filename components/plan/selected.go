package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// List calls the function with each object that a selector selects, in the order of their names, until it returns false.
type List func(ctx context.Context, of source.Selection, do func(*unstructured.Unstructured) bool) error

// SelectorOf returns the selector of sources. Any error is an Error.
func SelectorOf(ref v1.SourceRef) (labels.Selector, error) {
	selector, err := metav1.LabelSelectorAsSelector(ref.Selector.LabelSelector())
	if err != nil {
		return nil, Failed(v1.ConditionDestinationWritten, policy.Problem{
			Reason: v1.ReasonRuleInvalid, Message: "a selector in merge.layers or source is not valid", Copies: policy.CopiesKept, Advice: "correct it",
		}, err)
	}
	return selector, nil
}

// readSelected reads what a selector selects: objects that are not being deleted, are no copies of the rule, and whose owners consent. It reports
// whether there is one.
func (m *merger[O]) readSelected(ctx context.Context, kind source.Kind, selecting v1.SourceRef) (isMet bool, err error) {
	selector, err := SelectorOf(selecting)
	if err != nil {
		return false, err
	}
	id := owner.IdentityOf(m.Kind, m.rule)
	err = m.List(ctx, source.Selection{Kind: kind, Namespace: selecting.Namespace, Selector: selector}, func(object *unstructured.Unstructured) bool {
		if object.GetDeletionTimestamp() != nil || id.Marks(object) {
			return true
		}
		m.matched++
		member := MemberOf(selecting, object.GetName())
		m.members = append(m.members, member)
		problem := m.CheckConsent(m.spec.OfLayer(v1.LayerSpec{Source: member}), object)
		isMet = isMet || problem.IsZero()
		m.take(object, problem, true)
		return m.matched <= v1.MaxSources
	})
	if err != nil {
		return false, m.Unlisted(kind, selecting, err)
	}
	return isMet, nil
}

// MemberOf returns the reference to the object of that name, which the other reference selects.
func MemberOf(selecting v1.SourceRef, name string) v1.SourceRef {
	selecting.Name, selecting.Selector = name, nil
	return selecting
}

// WithMembers returns the spec with the objects that its selectors select among the layers, so that no copy takes the place of one.
func WithMembers(spec owner.Spec, members []v1.SourceRef) owner.Spec {
	for _, member := range members {
		spec.Merge.Layers = append(slices.Clip(spec.Merge.Layers), v1.LayerSpec{Source: member})
	}
	return spec
}

// Unlisted is the error of a rule for which no list of sources could be made.
func (p *Planner[O]) Unlisted(kind source.Kind, selecting v1.SourceRef, err error) error {
	if _, known := errors.AsType[*Error](err); known || errors.Is(err, ErrNotRead) {
		return err
	}
	if apierrors.IsNotFound(err) { // the kind, not an object
		p.sources().DefinitionsChanged(kind.Group)
	}
	return Unreadable(kind, selecting, err)
}

// nothingSelected says why a rule wants no copy that merges what it selects. That is an answer, and no failure.
func nothingSelected(spec owner.Spec, matched int) policy.Problem {
	message := fmt.Sprintf("source.selector matches no %s in %s", spec.Source.Kind, spec.Source.Namespace)
	if matched > 0 {
		message += " whose owner consents"
	}
	return policy.Problem{Reason: v1.ReasonSourceNotFound, Message: message}
}

// TooManySources is the error of a rule that selects so many sources; empty: more than one copies.
func TooManySources(spec owner.Spec, matched string) error {
	if matched == "" {
		matched = fmt.Sprintf("more than %d", v1.MaxSources)
	}
	message := fmt.Sprintf("source.selector matches %s objects; a rule copies at most %d", matched, v1.MaxSources)
	if spec.Merges() {
		message = fmt.Sprintf("the selectors of this rule match %s objects; a rule merges at most %d", matched, v1.MaxSources)
	}
	return &Error{Condition: v1.ConditionDestinationWritten, Problem: policy.Problem{
		Reason: v1.ReasonRuleInvalid, Message: message, Copies: policy.CopiesKept, Advice: "select fewer, or write several rules",
	}}
}

// MaxMerged is how many bytes the source and its layers may have together. An object holds 1 MiB.
const MaxMerged = 4 << 20

// TooMuch is the error of a rule that merges more. That takes much memory, and cannot be written anyway.
func TooMuch() error {
	return &Error{Condition: v1.ConditionDestinationWritten, Problem: policy.Problem{
		Reason:  v1.ReasonRenderFailed,
		Message: "the source and the layers have together more than 4 MiB, and an object holds 1 MiB", Copies: policy.CopiesKept, Advice: "merge less",
	}}
}
