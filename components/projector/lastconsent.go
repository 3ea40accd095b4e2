package projector

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// retainedSource returns how the source is recorded of which the rule retains copies; empty if it retains none. A rule with layers retains copies
// while a layer does not exist.
func (s *sourceScope[O]) retainedSource() string {
	if len(s.spec.Policy.Retain) == 0 && !s.isMerge() {
		return ""
	}
	return s.recordName(s.spec)
}

// recordName returns how a record of consent names the source: as copies name it, and in another cluster with the identity of that.
func (s *scope[O]) recordName(spec owner.Spec) string {
	name := destination.SourceName(spec.Source)
	if !spec.Source.IsRemote() {
		return name
	}
	return name + "@" + s.from.Identity()
}

// consentIsRecorded reports whether the owner of the source consented when it was read last.
func (s *sourceScope[O]) consentIsRecorded() bool {
	return s.retainedSource() != "" && s.isRecorded(s.spec)
}

// isRecorded reports whether the record of consent has the source that the spec names.
func (s *scope[O]) isRecorded(spec owner.Spec) bool {
	source, recorded := s.recordName(spec), s.rule.GetAnnotations()[v1.AnnotationConsentingSource]
	return source == recorded || slices.Contains(recordedSources(recorded), recordOf(source))
}

// checkRecord ends the record of consent where it is not about the source or a layer that the rule names.
//
// Example: a rule copies a/x. Its author edits it to name an object that cannot be read. The owner of a/x opts out and deletes it. Then the author
// edits the rule back.
func (s *scope[O]) checkRecord(ctx context.Context) error {
	recorded := s.rule.GetAnnotations()[v1.AnnotationConsentingSource]
	if translated := s.translatedRecord(recorded); translated != "" && !s.isMerge() {
		return s.replaceRecord(ctx, translated)
	}
	switch {
	case len(s.selections) > 0: // it is not known yet what they select
		return nil
	case s.isMerge():
		return s.keepRecord(ctx, func(*sourceScope[O]) bool { return true })
	case s.spec.Selects() && recordedSources(recorded) != nil && len(s.spec.Policy.Retain) > 0 || !s.spec.Selects() && s.named().consentIsRecorded():
		return nil
	}
	return s.endRecord(ctx)
}

// checkLastConsent ends the record of consent before the first copy is deleted, if the owner of the source does not consent any more. So a
// kill in between lets no copy escape.
//
// Example: the owner of a source opts out. The operator is killed when it has deleted one of two copies. The owner deletes the source.
func (s *scope[O]) checkLastConsent(ctx context.Context) error {
	switch {
	case s.isMerge():
		return s.keepRecord(ctx, func(source *sourceScope[O]) bool {
			mayConsent := source.isSourceGone() || source.isFormer && !source.isDenied()
			return source.err != nil || source.source != nil || mayConsent && !source.lastEventObjects()
		})
	case s.spec.Selects():
		return s.checkLastConsents(ctx)
	}
	if source := s.named(); source.source != nil || source.isSourceGone() && !source.lastEventObjects() {
		return nil
	}
	return s.endRecord(ctx)
}

// endRecord removes the record of consent.
func (s *scope[O]) endRecord(ctx context.Context) error {
	if s.rule.GetAnnotations()[v1.AnnotationConsentingSource] == "" {
		return nil
	}
	return s.replaceRecord(ctx, "")
}

// replaceRecord puts the record in the place of the one that the rule has.
func (s *scope[O]) replaceRecord(ctx context.Context, record string) error {
	base := s.rule.DeepCopyObject().(O)
	s.setAnnotation(v1.AnnotationConsentingSource, record)
	err := s.patch(ctx, base)
	if err != nil {
		s.rule.SetAnnotations(base.GetAnnotations())
	}
	if err != nil && !errors.Is(err, errOutdated) {
		return plan.Failed(v1.ConditionDestinationWritten, policy.Problem{
			Reason:  v1.ReasonDestinationWriteFailed,
			Message: "the annotation " + v1.AnnotationConsentingSource + " of this rule cannot be removed", Copies: policy.CopiesKept,
		}, err)
	}
	return err
}

// lastEvent returns the last event of the source.
func (s *sourceScope[O]) lastEvent() watch.LastEvent {
	return s.from.Sources.LastEvent(s.kind.GroupVersionResource(), s.sourceKey())
}

// lastEventObjects reports whether the last event of a source that cannot be read says that its owner does not consent.
func (s *sourceScope[O]) lastEventObjects() bool {
	last := s.lastEvent()
	return last.Known && !s.consents(last.Annotations)
}

// consents reports whether the owner of a source with these annotations consents to what the rule copies, somewhere.
func (s *sourceScope[O]) consents(annotations map[string]string) bool {
	return s.planner.Consents(s.spec, annotations)
}

// consentsTo reports whether the owner of a source with these annotations, who consents to what the rule copies, consents to the copy: permits it
// in its namespace and, if it is a ConfigMap of a Secret, declares all keys public that it may hold.
func (s *sourceScope[O]) consentsTo(ctx context.Context, set copySet, copied destination.Copy, annotations map[string]string) bool {
	permission, _ := policy.PermissionOf(annotations) // with an error, it permits nothing
	permits, _, err := s.planner.Permits(ctx, permission, copied.Namespace)
	publishes := set.kind.GroupKind() == configMap && s.spec.Source.GroupKind() == secret
	return permits && err == nil && (!publishes || policy.ArePublic(copied.Published, policy.PublicKeys(annotations)))
}

// newestConsent returns a function that reports whether the owner of the source consents to a copy. It reads the newest version of the source,
// once in a reconcile. If the source does not exist, or the operator is not allowed to read it, its last event and the record decide, so that the
// deletion of a rule waits for neither.
func (s *sourceScope[O]) newestConsent(ctx context.Context) (func(copySet, destination.Copy) bool, error) {
	if s.consent != nil {
		return s.consent, nil
	}
	err := s.denied(ctx)
	if err == nil && s.kind == (source.Kind{}) {
		s.kind, err = s.planner.ResolveSourceKind(ctx, s.spec.Source)
	}
	isGone := s.isSourceGone()
	if err == nil {
		isGone, err = s.confirm(ctx)
	}
	if err := s.unlessUnreadable(err); err != nil {
		return nil, err
	}
	if s.consent == nil {
		last, recorded := s.lastEvent(), s.consentIsRecorded() && !s.lastEventObjects() && (!isGone || s.isLayer || s.spec.Policy.Retains(v1.RetainSourceGone))
		s.consent = func(set copySet, copied destination.Copy) bool {
			return recorded && (!last.Known || s.consentsTo(ctx, set, copied, last.Annotations))
		}
	}
	return s.consent, nil
}

// consentTimeout is how long the deletion of a rule waits for a source that cannot be read.
const consentTimeout = 5 * time.Minute

// unlessUnreadable returns the error of a source that another try may read; nil for other errors.
func (s *sourceScope[O]) unlessUnreadable(err error) error {
	stopped, ok := errors.AsType[*plan.Error](err)
	waited := s.isDeleting() && s.clock().Sub(s.rule.GetDeletionTimestamp().Time) > consentTimeout
	switch {
	case err == nil, errors.Is(err, errOutdated):
		return err
	case ok && (!stopped.Retry && !stopped.Transient || apierrors.IsForbidden(stopped.Err)), waited:
		return nil
	case errors.Is(err, plan.ErrNotRead):
		return err
	}
	cause := v1.RetainTargetDropped
	if s.isDeleting() {
		cause = v1.RetainRuleDeleted
	}
	return plan.Failed(v1.ConditionDestinationWritten, policy.Problem{
		Reason:  v1.ReasonSourceFetchFailed,
		Message: "the source cannot be read, whose owner may have opted out of the copies that this rule retains",
		Copies:  policy.CopiesKept,
		Advice:  fmt.Sprintf("the operator retries; remove %s from spec.policy.retain to have the copies deleted", cause),
	}, err)
}

// mayRetain returns a function that reports whether a copy may still be made an ordinary object, as far as the watches know. It is asked right
// before each request.
//
// Example: the owner of a source opts out while the 40th of 300 copies is retained. The other 260 are not, and the next reconcile deletes them.
func (s *sourceScope[O]) mayRetain(ctx context.Context) func(copySet, destination.Copy) bool {
	version, dropped := s.confirmed, func(string) bool { return true }
	if s.adapter.Dropped != nil && !s.isDeleting() {
		dropped = s.dropped(ctx, s.before)
	}
	return func(set copySet, copied destination.Copy) bool {
		if s.ruleWithdrawn(ctx) || !dropped(copied.Namespace) {
			return false
		}
		last := s.lastEvent()
		isNews := last.ResourceVersion != "" && (version == "" || watch.IsNewer(last.ResourceVersion, version))
		return !isNews || s.consents(last.Annotations) && s.consentsTo(ctx, set, copied, last.Annotations)
	}
}
