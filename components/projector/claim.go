package projector

import (
	"context"
	"errors"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/projector/internal/memory"
)

// claim puts the finalizer on the rule and records the kinds of its copies, in one request, before the first copy is
// written. The record finds copies whose kind the rule no longer names, whatever was killed in between. A suspended rule is claimed only if it
// has copies: deleting it ends them, too.
func (s *scope[O]) claim(ctx context.Context) error {
	if err := s.checkRecorded(); err != nil && !s.isSuspended() {
		return err
	}
	s.claimClusters(ctx)
	if err := s.claimHere(ctx); err != nil {
		return err
	}
	kinds, named := recordedKinds(s.rule), []schema.GroupKind{s.copyKind.GroupKind()}
	if s.isSuspended() {
		named = s.local.kindsWithCopies()
	}
	for _, kind := range named {
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	return s.ensureClaim(ctx, kinds, func() {
		s.recordClusters()
		if s.isCopied() && (s.spec.Selects() || !s.local.awaitsRevoked()) {
			s.setAnnotation(v1.AnnotationConsentingSource, s.consentRecord())
		}
	})
}

// kindsWithCopies returns the kinds of which the rule is known to have copies.
func (m *memberScope[O]) kindsWithCopies() (kinds []schema.GroupKind) {
	for _, set := range m.sets {
		if set.Cache.HasCopies(m.scope.id.Key()) {
			kinds = append(kinds, set.kind.GroupKind())
		}
	}
	return kinds
}

// restoreFinalizer puts the finalizer back that somebody has taken off a rule which may have copies.
func (s *scope[O]) restoreFinalizer(ctx context.Context) error {
	kinds := recordedKinds(s.rule)
	if len(kinds) == 0 || controllerutil.ContainsFinalizer(s.rule, s.id.Kind.Finalizer) {
		return nil
	}
	return s.ensureClaim(ctx, kinds, func() {})
}

// ensureClaim puts the finalizer on the rule and records the kinds, if they are not there, together with a change of the annotations.
func (s *scope[O]) ensureClaim(ctx context.Context, kinds []schema.GroupKind, annotate func()) error {
	err := s.recordKinds(ctx, kinds, func() {
		controllerutil.AddFinalizer(s.rule, s.id.Kind.Finalizer)
		annotate()
	})
	if err != nil && !errors.Is(err, errOutdated) {
		return plan.Failed(v1.ConditionDestinationWritten, policy.Problem{
			Reason:  v1.ReasonDestinationWriteFailed,
			Message: "the finalizer of this " + s.id.Kind.Name + " cannot be recorded", Copies: "copies are kept, and none is written",
		}, err)
	}
	return err
}

// errOutdated says that the rule was changed since it was read. It is reported nowhere: the rule is reconciled again.
var errOutdated = errors.New("the rule was changed during the reconcile")

// recordKinds writes the kinds, and whatever else of the metadata is changed, if there is a difference.
func (s *scope[O]) recordKinds(ctx context.Context, kinds []schema.GroupKind, change func()) error {
	base := s.rule.DeepCopyObject().(O)
	change()
	s.setAnnotation(v1.AnnotationWrittenKinds, kindNames(kinds))
	if maps.Equal(base.GetAnnotations(), s.rule.GetAnnotations()) && slices.Equal(base.GetFinalizers(), s.rule.GetFinalizers()) {
		return nil
	}
	written := memory.HashOf(s.rule.GetAnnotations()[v1.AnnotationWrittenKinds])
	s.remembered(func(r *memory.Rule) { r.Kinds.Record(written) })
	return s.patch(ctx, base)
}

// setAnnotation sets or removes an annotation of the rule, which the next record writes.
func (s *scope[O]) setAnnotation(key, value string) {
	annotations := maps.Clone(s.rule.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	if annotations[key] = value; value == "" {
		delete(annotations, key)
	}
	s.rule.SetAnnotations(annotations)
}

// removeFinalizer takes our finalizer off, and with it the rule out of our hands.
func (s *scope[O]) removeFinalizer(ctx context.Context) error {
	if s.branch != nil {
		s.report.IsClear = true
		return nil
	}
	base := s.rule.DeepCopyObject().(O)
	controllerutil.RemoveFinalizer(s.rule, s.id.Kind.Finalizer)
	return s.patch(ctx, base)
}

// patch sends how the rule's metadata differs from the base, on the condition that the rule is as it was read. If the rule is gone, patch
// returns errOutdated, too: a rule without our finalizer can be deleted at any time, and nobody would ever delete a copy that is
// written for it after that. A branch writes nothing, and gets errOutdated until the projector of the rules has.
func (s *scope[O]) patch(ctx context.Context, base client.Object) error {
	if s.branch != nil { // the projector of the rules writes it
		return errOutdated
	}
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := s.hub.Client.Patch(limited, s.rule, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
	if err == nil {
		s.rules.wrote(ctx, s.rule)
		return nil
	}
	s.remembered(func(r *memory.Rule) { r.Kinds.Reset() })
	s.rules.markUncertain(s.rule)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return errOutdated
	}
	return err
}
